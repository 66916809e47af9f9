# The shared library exports exactly the names of the list. -DNM= -DLIBRARY= -DLIST=
execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}"
    RESULT_VARIABLE result OUTPUT_VARIABLE symbols)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${NM} failed: ${result}")
endif()
string(REGEX MATCHALL "[^ \n]+\n" exported "${symbols}")
string(REPLACE "\n" "" exported "${exported}")
file(STRINGS "${LIST}" listed)
list(SORT exported)
list(SORT listed)
if(NOT listed OR NOT exported STREQUAL listed)
    message(FATAL_ERROR "exported: ${exported}\nlisted: ${listed}")
endif()
