# tests/<area>/**.cpp -> program test_<area>, one ctest entry with the label <area>; tests/<area>/*_test.sh -> an
# entry each. Special folders:
#   tests/support           helpers every area may use, included as "support/<file>.h"
#   tests/data              files, reached by TAPER_TEST_DATA of "taper_paths.h"
#   tests/backends/probe    a backend in a separate shared module: TAPER_PROBE_BACKEND of "taper_paths.h"
#   tests/io/faults         system calls that fail, in a library for LD_PRELOAD, and the program that saves under it
#   tests/core/late_work    a program that works while it begins and ends
#   tests/dist/ranks, tests/dist/communicator   programs of several processes (see TaperRankTests.cmake)
#   tests/nn/library        classes of modules in a shared library: TAPER_TEST_LIBRARY of "taper_paths.h"
#   tests/<area>/compile_fail/*.cpp   must be rejected by the compiler with the text of its "// expect:" line
#   tests/packaging         outside projects that use taper (see there)
set(root ${PROJECT_SOURCE_DIR}/tests)
taper_subfolders(${root} areas)
list(REMOVE_ITEM areas support data packaging)

add_library(taper_test_support INTERFACE)
file(GLOB_RECURSE support_sources CONFIGURE_DEPENDS ${root}/support/*.cpp)
if(support_sources)
  add_library(taper_test_support_parts STATIC ${support_sources})
  target_include_directories(taper_test_support_parts PRIVATE ${root} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(taper_test_support_parts
    PUBLIC taper taper_paths GTest::gtest nlohmann_json::nlohmann_json fmt::fmt ZLIB::ZLIB PRIVATE taper_settings)
  target_link_libraries(taper_test_support INTERFACE taper_test_support_parts)
endif()
target_include_directories(taper_test_support INTERFACE ${root} ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(taper_test_support INTERFACE
  taper taper_models taper_settings GTest::gtest GTest::gtest_main
  nlohmann_json::nlohmann_json fmt::fmt ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(taper_test_support INTERFACE taper_paths)

file(GLOB_RECURSE probe_sources CONFIGURE_DEPENDS ${root}/backends/probe/*.cpp)
if(probe_sources)
  # Does not link taper: a backend is loaded at run time and has no undefined symbols of taper.
  add_library(taper_probe MODULE ${probe_sources})
  set_target_properties(taper_probe PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_include_directories(taper_probe PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(taper_probe PRIVATE taper_settings)
endif()

# Uses the taper of the program that loads it, as plug-ins of a program do.
add_library(taper_test_library MODULE ${root}/nn/library/net.cpp)
set_target_properties(taper_test_library PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_include_directories(taper_test_library PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(taper_test_library PRIVATE taper_settings)

# System calls that fail on request, and a program that saves meanwhile.
add_library(taper_test_faults MODULE ${root}/io/faults/preload.cpp)
set_target_properties(taper_test_faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_link_libraries(taper_test_faults PRIVATE taper_settings ${CMAKE_DL_LIBS})
add_executable(taper_test_saver ${root}/io/faults/saver.cpp)
target_link_libraries(taper_test_saver PRIVATE taper taper_settings ${CMAKE_DL_LIBS})
add_dependencies(taper_test_saver taper_test_faults)

# A program that works while it begins and ends, with the static and with the shared library.
file(GLOB late_work_sources CONFIGURE_DEPENDS ${root}/core/late_work/*.cpp)
add_library(taper_test_late_work_parts OBJECT ${late_work_sources})
target_link_libraries(taper_test_late_work_parts PRIVATE taper taper_settings)
target_compile_options(taper_test_late_work_parts PRIVATE -O0)
foreach(library taper taper_shared)
  string(REPLACE taper taper_test_late_work program ${library})
  add_executable(${program} $<TARGET_OBJECTS:taper_test_late_work_parts>)
  target_link_libraries(${program} PRIVATE ${library} taper_settings Threads::Threads)
endforeach()

# Owns the precompiled header of all test programs.
file(WRITE ${PROJECT_BINARY_DIR}/generated/tests.cpp "")
add_library(taper_test_precompiled OBJECT ${PROJECT_BINARY_DIR}/generated/tests.cpp)
target_link_libraries(taper_test_precompiled PRIVATE taper_test_support)
target_compile_options(taper_test_precompiled PRIVATE -O0)
set_target_properties(taper_test_precompiled PROPERTIES TAPER_IS_TEST ON)
taper_precompile(taper_test_precompiled tests)

add_custom_target(library_tests)
foreach(area IN LISTS areas)
  file(GLOB scripts CONFIGURE_DEPENDS ${root}/${area}/*_test.sh)
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM name)
    add_test(NAME ${name} COMMAND ${script})
    set_tests_properties(${name} PROPERTIES LABELS ${area})
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/${area}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/backends/probe/|/io/faults/|/nn/library/|/dist/(ranks|communicator)/|/compile_fail/|/libfuzzer/|/late_work/main\\.cpp$")
  if(NOT sources)
    continue()
  endif()
  # Not compiled in batches: files that replace operator new, or are compiled for several instruction sets.
  set(batched ${sources})
  list(FILTER batched EXCLUDE REGEX "/(counting_new|count|simd_math_test)\\.cpp$")
  if(area STREQUAL "ops")
    list(FILTER sources EXCLUDE REGEX "/op_cases\\.cpp$")
    list(APPEND sources $<TARGET_OBJECTS:taper_op_samples>)
  endif()
  set(test test_${area})
  add_executable(${test} ${sources})
  target_link_libraries(${test} PRIVATE taper_test_support)
  # Compiling tests is most of the time of a build; they need no speed of their own.
  target_compile_options(${test} PRIVATE -O0)
  set_target_properties(${test} PROPERTIES TAPER_IS_TEST ON)
  if(TAPER_SANITIZE MATCHES thread)  # Clang's runtime library defines operator new, which some tests replace
    target_link_options(${test} PRIVATE LINKER:--allow-multiple-definition)
  endif()
  taper_precompile(${test} FROM taper_test_precompiled)
  taper_unity(${test} 12 ${batched})
  # The tests of a tool link the objects of its program, and find the program in TAPER_BIN_DIR.
  foreach(program taper_${area} lenet_${area})
    if(TARGET ${program}_parts)
      target_link_libraries(${test} PRIVATE ${program}_parts)
    endif()
    if(TARGET ${program})
      add_dependencies(${test} ${program})
    endif()
  endforeach()
  if(area MATCHES "^(fuzz|resource_limits)$")  # put files together as tests/io does
    target_sources(${test} PRIVATE ${root}/io/assemble.cpp)
  endif()
  if(area STREQUAL "fuzz")  # goes through values as the tool does
    target_link_libraries(${test} PRIVATE taper_oracle_parts)
    target_sources(${test} PRIVATE $<TARGET_OBJECTS:taper_op_samples>)
  endif()
  if(area MATCHES "^(backends|nn)$" AND TARGET taper_probe)
    add_dependencies(${test} taper_probe)
  endif()
  if(area STREQUAL "autograd")  # runs the scenarios of the tool, with the library alone
    file(GLOB scenarios CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/oracle/training/autograd/*.cpp)
    target_sources(${test} PRIVATE ${scenarios})
    target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/tools/oracle)
  endif()
  if(area STREQUAL "core")
    add_dependencies(${test} taper_test_late_work taper_test_late_work_shared)
  endif()
  if(area STREQUAL "io")
    add_dependencies(${test} taper_test_saver)
  endif()
  # Those of a folder of tools/ that is a library.
  if(NOT TARGET taper_${area}_parts AND TARGET taper_${area})
    target_link_libraries(${test} PRIVATE taper_${area})
  endif()
  if(area STREQUAL "taper")
    add_dependencies(${test} taper_test_library)
  endif()
  if(area STREQUAL "nn")
    add_dependencies(${test} taper_test_library)
    set_target_properties(${test} PROPERTIES ENABLE_EXPORTS ON)
  endif()
  add_test(NAME ${area} COMMAND ${test} --gtest_brief=1)
  # The areas of the library alone, without those that run programs for a long time.
  if(TARGET taper_${area}_parts OR TARGET lenet_${area}_parts OR area MATCHES "^(fuzz|resource_limits)$")
    set_tests_properties(${area} PROPERTIES LABELS ${area})
  else()
    set_tests_properties(${area} PROPERTIES LABELS "${area};library")
    add_dependencies(library_tests ${test})
  endif()

  file(GLOB rejected CONFIGURE_DEPENDS ${root}/${area}/compile_fail/*.cpp)
  foreach(source IN LISTS rejected)
    cmake_path(GET source STEM name)
    add_test(NAME ${area}_compile_fail_${name} COMMAND ${CMAKE_COMMAND}
      -DCOMPILER=${CMAKE_CXX_COMPILER} -DROOT=${PROJECT_SOURCE_DIR} -DSOURCE=${source}
      -P ${PROJECT_SOURCE_DIR}/cmake/CompileFail.cmake)
    set_tests_properties(${area}_compile_fail_${name} PROPERTIES LABELS ${area})
  endforeach()
endforeach()

if(NOT BUILD_SHARED_LIBS AND NOT TAPER_SANITIZE)
  add_test(NAME core_static_objects COMMAND ${CMAKE_COMMAND}
    -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:taper> -P ${PROJECT_SOURCE_DIR}/cmake/StaticObjects.cmake)
  set_tests_properties(core_static_objects PROPERTIES LABELS core)
endif()

# An outside program, built against an install and, with TAPER_PACKAGING_TESTS, with the whole tree inside its own
# build, shared and with the settings of README. Each compiles the library once more.
set(ways install)
if(TAPER_PACKAGING_TESTS)
  list(APPEND ways subdirectory embedded)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND TAPER_INSTALL AND NOT TAPER_SANITIZE)
  add_custom_target(test_packaging DEPENDS taper)
  if(TARGET taper_taper)
    add_dependencies(test_packaging taper_taper)  # it is installed, too
  endif()
  get_property(engines GLOBAL PROPERTY TAPER_DIST_ENGINES)
  if(engines)
    add_dependencies(test_packaging ${engines})
  endif()
  # A list within an argument.
  string(REPLACE ";" "," launcher "${CMAKE_CXX_COMPILER_LAUNCHER}")
  foreach(way IN LISTS ways)
    add_test(NAME packaging_${way} COMMAND ${CMAKE_COMMAND}
      -DWAY=${way} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
      -DFOLDER=${PROJECT_BINARY_DIR}/run/packaging_${way} -DGENERATOR=${CMAKE_GENERATOR}
      -DCONFIG=${CMAKE_BUILD_TYPE} -DCOMPILER=${CMAKE_CXX_COMPILER}
      -DLAUNCHER=${launcher} -P ${root}/packaging/run.cmake)
    set_tests_properties(packaging_${way} PROPERTIES LABELS packaging)
  endforeach()
endif()
if(NOT BUILD_SHARED_LIBS AND NOT TAPER_SANITIZE)
  add_test(NAME packaging_symbols
    COMMAND ${root}/packaging/check_symbols.sh ${CMAKE_NM} $<TARGET_FILE:taper>)
  set_tests_properties(packaging_symbols PROPERTIES LABELS packaging)
endif()
