# How the folders beside src/ become targets. A folder that does not exist has no targets.

# "taper_paths.h": where tests, tools and examples of this build find things.
configure_file(${CMAKE_CURRENT_LIST_DIR}/taper_paths.h.in ${PROJECT_BINARY_DIR}/generated/taper_paths.h @ONLY)
add_library(taper_paths INTERFACE)
target_include_directories(taper_paths INTERFACE ${PROJECT_BINARY_DIR}/generated)

# Names of the folders directly under `root`.
function(taper_subfolders root out)
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${root} ${root}/*)
  set(folders "")
  foreach(entry IN LISTS entries)
    if(IS_DIRECTORY ${root}/${entry})
      list(APPEND folders ${entry})
    endif()
  endforeach()
  set(${out} ${folders} PARENT_SCOPE)
endfunction()

# Owns the precompiled header of programs and libraries that use the public interface alone.
function(taper_add_public_precompiled)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/public.cpp "")
  add_library(taper_public_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/public.cpp)
  target_link_libraries(taper_public_precompiled PRIVATE taper taper_settings)
  target_compile_options(taper_public_precompiled PRIVATE $<$<CONFIG:Release>:-O1>)
  taper_precompile(taper_public_precompiled public)
endfunction()

# models/<name>/ -> library taper_model_<name>, of the public headers only; included as "<name>/<file>.h". A model links
# those whose headers it includes. Outside projects compile only those that they link.
function(taper_add_models)
  set(root ${PROJECT_SOURCE_DIR}/models)
  add_library(taper_models INTERFACE)
  taper_subfolders(${root} names)
  foreach(name IN LISTS names)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/${name}/*.cpp)
    if(sources)
      set(scope PUBLIC)
      add_library(taper_model_${name} STATIC EXCLUDE_FROM_ALL ${sources})
      target_link_libraries(taper_model_${name} PRIVATE taper_settings nlohmann_json::nlohmann_json)
      # Most of their time is compiling: the computations are in the library.
      target_compile_options(taper_model_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
      taper_precompile(taper_model_${name} FROM taper_public_precompiled)
      taper_unity(taper_model_${name} 6 ${sources})
    else()
      set(scope INTERFACE)
      add_library(taper_model_${name} INTERFACE)
    endif()
    target_include_directories(taper_model_${name} ${scope} ${root})
    target_link_libraries(taper_model_${name} ${scope} ${taper_link})
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${root}/${name}/*.h ${root}/${name}/*.cpp)
    foreach(file IN LISTS files)
      file(STRINGS ${file} includes REGEX "^#include \"[a-z0-9_]+/")
      foreach(include IN LISTS includes)
        string(REGEX REPLACE "^#include \"([a-z0-9_]+)/.*" "\\1" other "${include}")
        if(other IN_LIST names AND NOT other STREQUAL name)
          target_link_libraries(taper_model_${name} ${scope} taper_model_${other})
        endif()
      endforeach()
    endforeach()
    target_link_libraries(taper_models INTERFACE taper_model_${name})
  endforeach()
endfunction()

# <folder> -> program `target`; all but main.cpp go to a library <target>_parts that tests can link.
function(taper_add_program target folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/bench/calibrate\\.cpp$")  # a yardstick of `./dev bench --building`
  if(NOT sources)
    return()
  endif()
  set(parts ${sources})
  list(FILTER parts EXCLUDE REGEX "/main\\.cpp$")
  list(FILTER sources INCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)
    message(FATAL_ERROR "${folder} holds sources but no main.cpp")
  endif()
  set(shared ${taper_link} taper_paths fmt::fmt nlohmann_json::nlohmann_json ${ARGN})
  if(parts)
    add_library(${target}_parts STATIC ${parts})
    target_include_directories(${target}_parts PUBLIC ${folder} ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target}_parts PUBLIC ${shared} PRIVATE taper_settings)
    set(shared ${target}_parts)
  endif()
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE ${folder} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE ${shared} taper_settings)
endfunction()

# tools/<name>/ -> program taper_<name>; the demo is lenet_demo and the command line is taper. A folder without a
# main.cpp is a library taper_<name> that the programs link, with the code that several of them share.
function(taper_add_tools)
  taper_subfolders(${PROJECT_SOURCE_DIR}/tools names)
  set(libraries "")
  foreach(name IN LISTS names)
    set(folder ${PROJECT_SOURCE_DIR}/tools/${name})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    if(sources AND NOT EXISTS ${folder}/main.cpp)
      list(REMOVE_ITEM names ${name})
      add_library(taper_${name} STATIC ${sources})
      target_include_directories(taper_${name} PUBLIC ${folder} PRIVATE ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(taper_${name} PUBLIC ${taper_link} fmt::fmt PRIVATE taper_settings)
      target_compile_options(taper_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
      taper_unity(taper_${name} 12 ${sources})
      list(APPEND libraries taper_${name})
    endif()
  endforeach()
  # Owns the precompiled header of all tools.
  file(WRITE ${PROJECT_BINARY_DIR}/generated/tools.cpp "")
  add_library(taper_tools_precompiled OBJECT ${PROJECT_BINARY_DIR}/generated/tools.cpp)
  target_link_libraries(taper_tools_precompiled PRIVATE
    taper fmt::fmt nlohmann_json::nlohmann_json taper_settings)
  target_compile_options(taper_tools_precompiled PRIVATE $<$<CONFIG:Release>:-O1>)
  taper_precompile(taper_tools_precompiled tools)
  foreach(name IN LISTS names)
    set(target taper_${name})
    set(linked ${libraries} taper_models)
    if(name STREQUAL "demo")
      set(target lenet_demo)
      set(linked taper_training taper_model_lenet)  # users wait for the demo
    endif()
    taper_add_program(${target} ${PROJECT_SOURCE_DIR}/tools/${name} CLI11::CLI11 ${linked})
    if(name STREQUAL "demo")
      set_target_properties(${target} PROPERTIES TAPER_LINK taper_core)
    endif()
    # Most of their time is compiling: the computations are in the library, and in the files below.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_compile_options(${target}_parts PRIVATE $<$<CONFIG:Release>:-O1>)
    # The demo, the first program that a user builds, is too small for a precompiled header.
    if(NOT name STREQUAL "demo")
      taper_precompile(${target} FROM taper_tools_precompiled)
      taper_precompile(${target}_parts FROM taper_tools_precompiled)
    endif()
    get_target_property(sources ${target}_parts SOURCES)
    taper_unity(${target}_parts 16 ${sources})
  endforeach()
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/tools/taper/compare.cpp ${PROJECT_SOURCE_DIR}/tools/taper/tensor_stats.cpp
    PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
  if(TARGET taper_taper)
    # Plug-ins find all of the library in the program, whatever of it the program uses itself.
    set_target_properties(taper_taper PROPERTIES OUTPUT_NAME taper ENABLE_EXPORTS ON)
    if(NOT BUILD_SHARED_LIBS)
      set_target_properties(taper_taper PROPERTIES LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,taper")
    endif()
  endif()
endfunction()

# The test samples of ops, in the folders of the ops -> taper_op_samples: ops are tested and timed on the same ones.
function(taper_add_op_samples)
  file(GLOB_RECURSE op_samples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.samples.cpp)
  add_library(taper_op_samples OBJECT ${op_samples} ${PROJECT_SOURCE_DIR}/tests/ops/op_cases.cpp)
  target_include_directories(taper_op_samples PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(taper_op_samples PRIVATE taper taper_settings fmt::fmt Highway::Highway)
  # Most of their time is compiling. The benchmark links them: of an inline function that the library uses, too, the
  # linker may take their copy.
  target_compile_options(taper_op_samples PRIVATE $<$<CONFIG:Release>:-O2>)
  taper_precompile(taper_op_samples FROM taper_library_precompiled)
  # The precompiled header requires the settings of the library, and Highway's definitions.
  set_target_properties(taper_op_samples PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET ${taper_visibility} CXX_EXTENSIONS OFF
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 18)
endfunction()

# bench/ -> program taper_bench.
function(taper_add_bench)
  find_package(CLI11 2.1 REQUIRED)
  taper_add_program(taper_bench ${PROJECT_SOURCE_DIR}/bench CLI11::CLI11 benchmark::benchmark taper_models)
  get_target_property(sources taper_bench_parts SOURCES)
  taper_unity(taper_bench_parts 16 ${sources})
  add_dependencies(taper_bench taper_shared)  # whose size it measures
  # Compiled for several instruction sets.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/bench/peak.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  # It parses options; the timed code is in the other files.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/bench/main.cpp PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  target_sources(taper_bench PRIVATE $<TARGET_OBJECTS:taper_op_samples>)
  target_include_directories(taper_bench_parts PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # Decoding of images is compared with libjpeg alone.
  find_package(JPEG)
  if(JPEG_FOUND)
    target_link_libraries(taper_bench_parts PUBLIC JPEG::JPEG)
    target_compile_definitions(taper_bench_parts PRIVATE TAPER_BENCH_JPEG)
  endif()
endfunction()

# examples/<name>.cpp -> program example_<name>, also run as a test in a separate folder. If
# examples/python/<name>.txt, the output of examples/python/<name>.py, exists, the program must print the same. Both get
# the arguments in examples/python/<name>.args, if it exists, where @PROJECT_SOURCE_DIR@ is the root of the tree.
function(taper_add_examples)
  # Warnings that programs of users may enable: headers, their macros and templates cause none.
  set(warnings -Wshadow -Wsign-conversion -Wold-style-cast $<$<CXX_COMPILER_ID:GNU>:-Wuseless-cast>)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE taper_shared taper_models taper_paths taper_settings CLI11::CLI11)
    set_target_properties(example_${name} PROPERTIES TAPER_LINK taper_shared LINK_DEPENDS_NO_SHARED ON)
    # Most of their time is compiling: the computations are in the library.
    target_compile_options(example_${name} PRIVATE $<$<CONFIG:Release>:-O1> ${warnings})
    taper_precompile(example_${name} FROM taper_public_precompiled)
    if(TAPER_TESTS)
      set(folder ${PROJECT_BINARY_DIR}/run/${name})
      file(MAKE_DIRECTORY ${folder})
      set(expected ${PROJECT_SOURCE_DIR}/examples/python/${name}.txt)
      set(arguments "")
      if(EXISTS ${PROJECT_SOURCE_DIR}/examples/python/${name}.args)
        file(STRINGS ${PROJECT_SOURCE_DIR}/examples/python/${name}.args arguments)
        string(CONFIGURE "${arguments}" arguments @ONLY)
        separate_arguments(arguments)
      endif()
      if(EXISTS ${expected})
        add_test(NAME example_${name} COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:example_${name}>
          "-DARGUMENTS=${arguments}" -DEXPECTED=${expected} -P ${PROJECT_SOURCE_DIR}/cmake/SameOutput.cmake
          WORKING_DIRECTORY ${folder})
      else()
        add_test(NAME example_${name} COMMAND example_${name} ${arguments} WORKING_DIRECTORY ${folder})
      endif()
      set_tests_properties(example_${name} PROPERTIES LABELS examples)
    endif()
  endforeach()
endfunction()
