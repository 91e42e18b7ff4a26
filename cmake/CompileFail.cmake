# Run by ctest: compiles SOURCE with COMMAND... and passes when the compiler refuses it with the words of the
# line "// expect: words" of SOURCE.
file(STRINGS ${SOURCE} expected REGEX "^// expect: ")
string(REGEX REPLACE "^// expect: " "" expected "${expected}")
if(expected STREQUAL "")
  message(FATAL_ERROR "${SOURCE} has no line '// expect: words'")
endif()
execute_process(
  COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${ROOT}/include -I${ROOT}/src ${SOURCE}
  RESULT_VARIABLE status ERROR_VARIABLE errors)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles; expected the error: ${expected}")
endif()
string(FIND "${errors}" "${expected}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${SOURCE} is refused, but not with the words: ${expected}\n${errors}")
endif()
