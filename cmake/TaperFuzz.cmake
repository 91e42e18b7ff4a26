# tests/fuzz/<name>.cpp -> program fuzz_<name>, for libFuzzer. Watched for coverage are the readers, the writers and
# the values they make; the rest of taper is the library of the build of the address sanitizer, which the
# programs are linked with: compiling 60 files instead of 400, all of them checked all the same. The target `op` begins
# with the samples of the ops.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "libFuzzer is part of Clang: the preset fuzz uses clang++")
endif()
set(TAPER_FUZZ_LIBRARY ${PROJECT_SOURCE_DIR}/build/asan/lib/libtaper.a CACHE FILEPATH
  "A static libtaper built with -fsanitize=address,undefined")

add_library(taper_sanitized STATIC IMPORTED)
set_target_properties(taper_sanitized PROPERTIES IMPORTED_LOCATION ${TAPER_FUZZ_LIBRARY})
target_link_libraries(taper_sanitized INTERFACE
  Highway::Highway fmt::fmt ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})

file(GLOB_RECURSE watched CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/io/*.cpp ${PROJECT_SOURCE_DIR}/src/core/value/*.cpp
  ${PROJECT_SOURCE_DIR}/src/data/image/*.cpp ${PROJECT_SOURCE_DIR}/src/data/readers/*.cpp
  ${PROJECT_SOURCE_DIR}/src/train/events/*.cpp)
list(FILTER watched EXCLUDE REGEX "\\.hwy\\.cpp$")
file(GLOB targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
list(FILTER targets EXCLUDE REGEX "_test\\.cpp$")
set(described ${PROJECT_SOURCE_DIR}/tools/oracle/files)
add_library(taper_fuzzed OBJECT ${watched} ${targets} ${PROJECT_SOURCE_DIR}/tests/io/assemble.cpp
  ${described}/describe.cpp ${described}/describe_module.cpp ${described}/describe_opaque.cpp
  ${described}/differ.cpp ${described}/dtype_names.cpp ${described}/walk.cpp
  ${described}/../cases/compare.cpp ${described}/../cases/sha256.cpp)
file(GLOB_RECURSE op_samples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.samples.cpp)
add_library(taper_fuzz_samples OBJECT ${op_samples} ${PROJECT_SOURCE_DIR}/tests/ops/op_cases.cpp)
set_target_properties(taper_fuzz_samples PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
target_include_directories(taper_fuzz_samples PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
  ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(taper_fuzz_samples PRIVATE taper_settings fmt::fmt)

target_include_directories(taper_fuzzed PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
  ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/fuzz ${PROJECT_SOURCE_DIR}/tools/oracle)
target_link_libraries(taper_fuzzed PUBLIC taper_settings nlohmann_json::nlohmann_json fmt::fmt ZLIB::ZLIB)
target_compile_options(taper_fuzzed PRIVATE -fsanitize=fuzzer-no-link)

foreach(target IN LISTS targets)
  cmake_path(GET target STEM name)
  if(name MATCHES "^(op_call|read|targets)$")
    continue()
  endif()
  add_executable(fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/libfuzzer/entry.cpp
    $<TARGET_OBJECTS:taper_fuzzed> $<TARGET_OBJECTS:taper_fuzz_samples>)
  target_compile_definitions(fuzz_${name} PRIVATE TAPER_FUZZ_TARGET=${name})
  target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/tests/fuzz)
  target_link_libraries(fuzz_${name} PRIVATE taper_settings taper_sanitized)
  # Batches of the library contain watched files in addition to others: the linker uses the first of two definitions.
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer LINKER:--allow-multiple-definition)
endforeach()
if(TARGET taper_image_codecs)
  add_dependencies(fuzz_image taper_image_codecs)
endif()
