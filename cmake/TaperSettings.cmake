# Settings of our own targets: they travel by the interface target taper_settings, never by global flags,
# so that a project that contains taper keeps its own.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  else()
    set(CMAKE_BUILD_TYPE Release)  # in this folder and those below
    message(STATUS "Taper is compiled as Release, since CMAKE_BUILD_TYPE is not set")
  endif()
endif()
if(PROJECT_IS_TOP_LEVEL)
  find_program(TAPER_CCACHE ccache)
  mark_as_advanced(TAPER_CCACHE)
  if(TAPER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/scripts/building/launch_ccache.sh ${TAPER_CCACHE})
  endif()
  # Links a test program in a third of the CPU time of GNU ld.
  find_program(TAPER_LLD ld.lld)
  mark_as_advanced(TAPER_LLD)
  # Compiling a library does not wait for those that a program links beside it.
  set(CMAKE_OPTIMIZE_DEPENDENCIES ON)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endif()

# taper_precompile(TARGET NAME) precompiles cmake/precompiled/NAME.h for TARGET; taper_precompile(TARGET FROM OTHER)
# reuses the one of OTHER, which must be compiled with the same options.
function(taper_precompile target name)
  if(TAPER_PCH AND name STREQUAL "FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGN})
  elseif(TAPER_PCH)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${name}.h)
  endif()
endfunction()

# taper_unity(TARGET SIZE SOURCES...) compiles SOURCES in equal batches of at most SIZE files of one folder. A new file
# moves only the borders of the batches in its folder. Folders of at most half of SIZE share those of their
# parent.
function(taper_unity target size)
  if(NOT TAPER_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND files_${folder} ${source})
  endforeach()
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    list(LENGTH files_${folder} length)
    math(EXPR length "2 * ${length}")
    if(length LESS_EQUAL size)
      cmake_path(GET folder PARENT_PATH folder)
      string(APPEND folder "_folders")
    endif()
    list(APPEND groups ${folder})
    list(APPEND group_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(folder IN LISTS groups)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE group)
    string(REPLACE "/" "_" group ${group})
    list(LENGTH group_${folder} length)
    math(EXPR batches "(${length} + ${size} - 1) / ${size}")
    set(i 0)
    foreach(source IN LISTS group_${folder})
      math(EXPR batch "${i} * ${batches} / ${length}")
      math(EXPR i "${i} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${batch})
    endforeach()
  endforeach()
endfunction()

# taper_batch_kernels(LIST SIZE) replaces files of LIST that are compiled once per instruction set by batches of SIZE:
# more than half of the time to compile a small one is Highway's headers, once per instruction set. Each file includes
# itself through foreach_target.h, whose include guard lets the first of a batch do that: it is the batch, which
# therefore ends by naming itself again. Left out are files with instruction sets of their own and those that take long.
function(taper_batch_kernels list size)
  if(NOT TAPER_UNITY)
    return()
  endif()
  set(alone "/(checksum|vector_math|gemm|fold)\\.hwy\\.cpp$|/pointwise/(unary|binary|transcendental)\\.cpu\\.cpp$")
  set(all ${${list}})
  foreach(kind hwy cpu)  # those of `cpu` include the headers of tensors
    set(files "")
    set(count 0)
    foreach(source IN LISTS all)
      if(NOT source MATCHES "\\.${kind}\\.cpp$" OR source MATCHES "${alone}")
        continue()
      endif()
      file(STRINGS ${source} names REGEX "define HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
      if(names)
        math(EXPR batch "${count} / ${size}")
        math(EXPR count "${count} + 1")
        set(file ${PROJECT_BINARY_DIR}/generated/${list}_${batch}.${kind}.cpp)
        list(REMOVE_ITEM all ${source})
        list(APPEND files ${file})
        string(APPEND includes_${kind}_${batch} "#include \"${source}\"\n")
      endif()
    endforeach()
    list(REMOVE_DUPLICATES files)
    set(batch 0)
    foreach(file IN LISTS files)
      set(name "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${file}\"\n")
      file(CONFIGURE OUTPUT ${file} CONTENT
        "${name}#include \"cpu/simd/targets.h\"\n#include <hwy/foreach_target.h>\n${includes_${kind}_${batch}}${name}")
      math(EXPR batch "${batch} + 1")
    endforeach()
    list(APPEND all ${files})
  endforeach()
  set(${list} ${all} PARENT_SCOPE)
endfunction()

add_library(taper_settings INTERFACE)
target_compile_features(taper_settings INTERFACE cxx_std_20)
if(TAPER_LLD)
  # One thread: a test links in a tenth of a second, a third of which were threads.
  target_link_options(taper_settings INTERFACE -fuse-ld=lld LINKER:--threads=1)
endif()
# Contracting a * b + c would change the bits of random numbers and of gradients.
target_compile_options(taper_settings INTERFACE
  -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion $<$<BOOL:${TAPER_WERROR}>:-Werror>
  # Tests ignore results where they check the errors, counts or output of a call.
  $<$<BOOL:$<TARGET_PROPERTY:TAPER_IS_TEST>>:-Wno-unused-result>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(taper_settings INTERFACE -Wno-restrict)  # false alarms on "text" + std::string
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Collecting garbage is a tenth of a compilation, and saves less than 300 MB of memory.
  target_compile_options(taper_settings INTERFACE
    --param=ggc-min-expand=1000 --param=ggc-min-heapsize=524288)
endif()
if(TAPER_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(taper_settings INTERFACE -Wno-subobject-linkage)  # each file of a batch counts as a header
endif()
if(TAPER_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -fpch-preprocess is required by ccache. The warnings are false alarms inside of std::string, which GCC 12 does not
  # recognize as code of a system header if it comes from a precompiled one.
  target_compile_options(taper_settings INTERFACE -fpch-preprocess
    $<$<VERSION_LESS:${CMAKE_CXX_COMPILER_VERSION},13>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>)
endif()
if(TAPER_ONE_ISA)
  target_compile_definitions(taper_settings INTERFACE HWY_COMPILE_ONLY_STATIC)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # Highway's baseline there is one lane at a time: it is not the code that users run, and too slow for tests.
    target_compile_options(taper_settings INTERFACE -march=x86-64-v3 -maes -mpclmul)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(taper_settings INTERFACE -Wno-pragma-clang-attribute)  # regions without functions
  endif()
endif()
if(TAPER_SANITIZE)
  # Checks of undefined behavior double the time of compiling tests, whose own code is of less interest.
  target_compile_options(taper_settings INTERFACE
    -fsanitize=${TAPER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<BOOL:$<TARGET_PROPERTY:TAPER_IS_TEST>>:-fno-sanitize=undefined>)
  if(TAPER_SANITIZE MATCHES undefined AND NOT TAPER_SANITIZE_ACCESSES)
    # Checks of the pointer of each access take a third of the time to compile the library. An access to a wrong address
    # is found by the address sanitizer as well.
    target_compile_options(taper_settings INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  target_link_options(taper_settings INTERFACE -fsanitize=${TAPER_SANITIZE})
endif()
