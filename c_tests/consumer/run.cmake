# Configures, builds and runs the engine, twice, and reads what its shared library needs and exports.
# -DGENERATOR= -DSHARED= -DNINJA= -DREADELF= -DC_COMPILER= -DCXX_COMPILER= -DCARGO= -DSOURCE= -DBUILD=
# -DSONAME=
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${result}\n${out}")
    endif()
    set(output "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${BUILD}")
set(make_program)
if(GENERATOR STREQUAL "Ninja")
    set(make_program "-DCMAKE_MAKE_PROGRAM=${NINJA}")
endif()
file(MAKE_DIRECTORY "${BUILD}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G "${GENERATOR}" ${make_program}
    "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    "-DS2SAMPLER_CARGO=${CARGO}" -DCMAKE_BUILD_TYPE=Debug "-DBUILD_SHARED_LIBS=${SHARED}")
run("${CMAKE_COMMAND}" --build "${BUILD}" --parallel 2)
run("${BUILD}/main")

# Nothing is built again if nothing changed.
run("${CMAKE_COMMAND}" --build "${BUILD}")
if(output MATCHES "with cargo|Linking")
    message(FATAL_ERROR "the second build was not idle:\n${output}")
endif()

# The SONAME is recorded, not a path, and a file of that name is there; or nothing is needed.
run("${READELF}" -dW "${BUILD}/libengine.so")
string(REGEX MATCHALL "NEEDED[^\n]*s2sampler[^\n]*" needed "${output}")
if(SHARED)
    if(NOT needed MATCHES "\\[${SONAME}\\]" OR NOT EXISTS "${BUILD}/s2sampler/lib/${SONAME}")
        message(FATAL_ERROR "needed: '${needed}', not ${SONAME}")
    endif()
elseif(needed)
    message(FATAL_ERROR "needed: ${needed}")
endif()

# The engine's library exports its own function and none of the archive's.
run("${READELF}" --dyn-syms -W "${BUILD}/libengine.so")
string(REGEX MATCHALL "(GLOBAL|WEAK) +DEFAULT +[0-9]+ [^ \n]+" exported "${output}")
list(LENGTH exported count)
if(NOT count EQUAL 1 OR NOT exported MATCHES " engine_token$")
    message(FATAL_ERROR "exported: ${exported}")
endif()
