# The SIMD levels that the tests must run at, best last, by what the system says of the CPU and not by what the
# library says. A cross build goes by the target, since the tests run elsewhere: an emulator may lack AVX, which
# S2SAMPLER_TEST_LEVELS then says.
set(S2SAMPLER_TEST_LEVELS "" CACHE STRING "The SIMD levels of the CPU that runs the tests; empty to find them")
function(s2_levels_of_this_cpu result)
    set(levels baseline)
    if(S2SAMPLER_TEST_LEVELS)
        set(levels "${S2SAMPLER_TEST_LEVELS}")
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
        list(APPEND levels neon)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
        # Wine and a native program have the CPU of the machine that builds.
        if(NOT EXISTS /proc/cpuinfo)
            message(FATAL_ERROR "s2sampler: no /proc/cpuinfo tells the SIMD levels that must be tested; set "
                "S2SAMPLER_TEST_LEVELS, or build without the tests: -DS2SAMPLER_BUILD_TESTS=OFF")
        endif()
        file(READ /proc/cpuinfo cpu)
        string(REGEX REPLACE "[ \t\n]+" " " cpu " ${cpu} ")
        if(cpu MATCHES " avx2 " AND cpu MATCHES " fma ")
            list(APPEND levels avx2)
        endif()
        if(cpu MATCHES " avx512f ")
            list(APPEND levels avx512)
        endif()
    endif()
    set(${result} "${levels}" PARENT_SCOPE)
endfunction()
