# Run by ctest: compiles SOURCE with COMPILER and passes when the compiler rejects it with the words of each line
# "// expect: words" of SOURCE. A line "// options: flags" adds flags. Two ways to reject several statements:
#   statement;  // rejected      each such line must have an error, and no other line
#   // case: statement           compiles SOURCE again with the macro CASE defined as the statement (no semicolons),
#                                for errors that a compiler reports once; without a case SOURCE must compile
function(lines_of kind result)
  file(STRINGS ${SOURCE} lines REGEX "^// ${kind}: ")
  list(TRANSFORM lines REPLACE "^// ${kind}: " "")
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

function(compile)
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -fsyntax-only -fmax-errors=0 -I${ROOT}/include -I${ROOT}/src ${options} ${ARGN}
      ${SOURCE}
    RESULT_VARIABLE status ERROR_VARIABLE errors)
  set(status "${status}" PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

function(expect_rejection name)
  compile(${ARGN})
  if(status EQUAL 0)
    message(FATAL_ERROR "${name} compiles; expected the error: ${expected}")
  endif()
  foreach(words IN LISTS expected)
    string(FIND "${errors}" "${words}" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "${name} is rejected, but not with the words: ${words}\n${errors}")
    endif()
  endforeach()
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

# The numbers of the lines of SOURCE that are to be rejected, and of those that have errors.
function(compare_lines)
  file(READ ${SOURCE} text)
  string(REPLACE ";" " " text "${text}")
  string(REGEX REPLACE "[][]" " " text "${text}")  # brackets would join elements of a list
  string(REPLACE "\n" ";" text "${text}")
  set(number 0)
  foreach(line IN LISTS text)
    math(EXPR number "${number} + 1")
    string(REGEX MATCH "${SOURCE}:${number}:[0-9]+: error" error "${errors}")
    if(line MATCHES "// rejected$" AND NOT error)
      message(FATAL_ERROR "${SOURCE}:${number} compiles\n${errors}")
    elseif(error AND NOT line MATCHES "// rejected$")
      message(FATAL_ERROR "${SOURCE}:${number} is rejected\n${errors}")
    endif()
  endforeach()
endfunction()

lines_of(expect expected)
lines_of(options options)
lines_of(case cases)
file(STRINGS ${SOURCE} rejected REGEX "// rejected$")
separate_arguments(options)
if(NOT expected)
  message(FATAL_ERROR "${SOURCE} has no line '// expect: words'")
elseif(cases)
  compile()
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} does not compile without a case:\n${errors}")
  endif()
  foreach(case IN LISTS cases)
    expect_rejection("${case}" "-DCASE=${case}")
  endforeach()
else()
  expect_rejection(${SOURCE})
  if(rejected)
    compare_lines()
  endif()
endif()
