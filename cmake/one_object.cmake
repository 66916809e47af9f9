# Turns cargo's static archive into an archive of one relocatable object whose only global names are the
# library's own.
#
#   cmake -DARCHIVE=in.a -DEXPORTS=names.txt -DOUTPUT=out.a -DLD=ld -DOBJCOPY=objcopy -DAR=ar -P one_object.cmake
#
# Cargo's archive holds Rust's standard library under global names, so it does not link beside the archive of
# another Rust library. Here the linker takes what the exported functions need into one object (-r,
# --gc-sections), without section groups, since the linker of the program would keep only one copy of a group
# of the same name (--force-group-allocation); objcopy then makes every name local but the exported ones, and
# drops debug information and bitcode.
foreach(variable ARCHIVE EXPORTS OUTPUT LD OBJCOPY AR)
    if(NOT ${variable})
        message(FATAL_ERROR "one_object.cmake: ${variable} is not set")
    endif()
endforeach()

file(STRINGS "${EXPORTS}" names REGEX "^s2_")
set(roots "")
foreach(name IN LISTS names)
    list(APPEND roots -u "${name}")
endforeach()

get_filename_component(folder "${OUTPUT}" DIRECTORY)
set(object "${folder}/s2sampler.o")

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "one_object.cmake: ${ARGV0} failed (${status}):\n${error}")
    endif()
endfunction()

run("${LD}" -r --gc-sections --force-group-allocation ${roots} -o "${object}" "${ARCHIVE}")
run("${OBJCOPY}" --strip-debug --strip-unneeded "--keep-global-symbols=${EXPORTS}"
    --remove-section=.llvmbc --remove-section=.llvmcmd "${object}")
file(REMOVE "${OUTPUT}")
run("${AR}" crs "${OUTPUT}" "${object}")
file(REMOVE "${object}")
