# Installs the headers, both libraries, the drop-ins' sources, the licences, and the packages for CMake and
# pkg-config.
#
# The installed tree is relocatable: its packages find the prefix from their own location. Packagers can
# split it into the components s2sampler_runtime, which programs need to run, and s2sampler_development.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(s2_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/s2sampler")
set(s2_dropin_dir "${CMAKE_INSTALL_DATADIR}/s2sampler/dropin")
set(s2_licence_dir "${CMAKE_INSTALL_DATADIR}/licenses/s2sampler")
set(s2_made_dir "${PROJECT_BINARY_DIR}/install")

# --- Files -----------------------------------------------------------------------------------------

set(s2_shared_dir "${CMAKE_INSTALL_LIBDIR}")
if(WIN32)
    set(s2_shared_dir "${CMAKE_INSTALL_BINDIR}")
endif()
install(PROGRAMS "${s2_shared}" DESTINATION "${s2_shared_dir}" COMPONENT s2sampler_runtime)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE-APACHE" "${PROJECT_SOURCE_DIR}/LICENSE-MIT"
    "${PROJECT_SOURCE_DIR}/THIRD-PARTY.md"
    DESTINATION "${s2_licence_dir}" COMPONENT s2sampler_runtime)

install(FILES ${s2_link_name} ${s2_implib} "${s2_static}"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT s2sampler_development)
install(FILES "${PROJECT_SOURCE_DIR}/include/s2sampler.h" "${PROJECT_SOURCE_DIR}/include/s2sampler.hpp"
    "${PROJECT_SOURCE_DIR}/include/s2sampler_llama.hpp"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT s2sampler_development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/dropin/"
    DESTINATION "${s2_dropin_dir}" COMPONENT s2sampler_development
    FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp")

# --- The CMake package -----------------------------------------------------------------------------

# What cmake/s2samplerConfig.cmake.in says of the files.
get_filename_component(s2_shared_file "${s2_shared}" NAME)
get_target_property(s2_imported_soname s2sampler::shared IMPORTED_SONAME)
if(NOT s2_imported_soname)
    set(s2_imported_soname "")
endif()
set(s2_implib_file "")
if(s2_implib)
    set(s2_implib_file "${s2_implib_name}")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/s2samplerConfig.cmake.in"
    "${s2_made_dir}/s2samplerConfig.cmake"
    INSTALL_DESTINATION "${s2_cmake_dir}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR s2_shared_dir s2_dropin_dir)
# As in the SONAME: before 1.0, minor versions are incompatible.
write_basic_package_version_file("${s2_made_dir}/s2samplerConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${s2_made_dir}/s2samplerConfig.cmake" "${s2_made_dir}/s2samplerConfigVersion.cmake"
    DESTINATION "${s2_cmake_dir}" COMPONENT s2sampler_development)

# --- The pkg-config file ---------------------------------------------------------------------------

# Some distributions set an absolute libdir or includedir: it stays absolute.
set(s2_pc_prefix "${CMAKE_INSTALL_PREFIX}")
set(s2_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
set(s2_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH s2_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" s2_up "${s2_up}")
    set(s2_pc_prefix "\${pcfiledir}/${s2_up}")
    set(s2_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(s2_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# --exclude-libs: a shared library that links the archive must not export its Rust symbols.
set(s2_pc_exclude "")
if(s2_static_link_options)
    set(s2_pc_exclude "-Wl,--exclude-libs,libs2sampler.a ")
endif()
list(TRANSFORM s2_system_libs PREPEND "-l" OUTPUT_VARIABLE s2_pc_private)
list(JOIN s2_pc_private " " s2_pc_private)
configure_file("${PROJECT_SOURCE_DIR}/cmake/s2sampler.pc.in" "${s2_made_dir}/s2sampler.pc" @ONLY)
install(FILES "${s2_made_dir}/s2sampler.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT s2sampler_development)
