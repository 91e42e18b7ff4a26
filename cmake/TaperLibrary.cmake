# The library itself: every source under src/, in object libraries that differ in optimization. The lists of their files
# have their names; taper_warm contains the files that no other list names. The levels below are those of Release; in
# other kinds of build, those of the kernels only (see TAPER_OPTIMIZE_KERNELS).
file(GLOB_RECURSE taper_warm CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
# Test samples of ops are in the folders of the ops and belong to tests and benchmarks.
list(FILTER taper_warm EXCLUDE REGEX "\\.samples\\.cpp$")
# The image codecs and the engines of distributed training are modules of their own.
list(FILTER taper_warm EXCLUDE REGEX "/src/(image_codecs|dist_engines)/")
# Code that runs for every element or every call is compiled with -O3. The largest loops are not: they are vectorized
# and unrolled by hand, or consist of Eigen. For other code, -O2 reduces the time of compilation by a tenth.
set(taper_hot ${taper_warm})
list(FILTER taper_hot INCLUDE REGEX
  "(\\.(hwy|cpu|ref)|_kernel)\\.cpp$|/src/(autograd|core|ops/pointwise)/|/src/(nn/container/sequential|nn/module/(hooked_call|iterate|load/loader|module|state_dict|tree|typed_hooks)|ops/[a-z_]+|optim/sgd)\\.cpp$")
list(FILTER taper_hot EXCLUDE REGEX "/(fold\\.hwy|gemm\\.hwy|winograd\\.hwy|factor_kernel|spectral_kernel)\\.cpp$|/core/print/")
list(REMOVE_ITEM taper_warm ${taper_hot})
# Code that runs once per file, per print or per configuration, and code that calls ops: modules and layers (six of them
# execute as many instructions with -O3), functions of nn, optimizers, transforms, metrics, distributions, distributed
# training and profiles. -O1 reduces the time of compilation by a third.
set(taper_cold ${taper_warm})
list(FILTER taper_cold INCLUDE REGEX
  "/src/(backend|core/print|data/transforms|dist|distributions|io/(dcp|legacy|npy|pickle/globals|safetensors)|metrics|nn|optim|profiler|train)/|/src/(data|io)/[a-z_]+\\.cpp$")
list(FILTER taper_cold EXCLUDE REGEX "/dist/reduction\\.cpp$")
# Ops without loops over elements of their own: checks, shapes and calls of other ops execute as many instructions per
# call (23 ops: 0.95 to 1.02 of those with -O2).
foreach(source IN LISTS taper_warm)
  if(source MATCHES "/src/ops/[a-z]+/")
    file(STRINGS ${source} loops REGEX "parallel_for|kernel::|ops/kernel/|kernel\\(|foreach_target" LIMIT_COUNT 1)
    if(NOT loops)
      list(APPEND taper_cold ${source})
    endif()
  endif()
endforeach()
list(REMOVE_ITEM taper_warm ${taper_cold})
# The part of it that other code of the library does not call. The demo, the first program that a user builds, does not
# link it.
set(taper_kit ${taper_cold})
list(FILTER taper_kit INCLUDE REGEX
  "/src/(data/transforms|dist|distributions|metrics|profiler|train/(events|report))/|/src/train/(csv|event|summary)_[a-z_]+\\.cpp$")
list(REMOVE_ITEM taper_cold ${taper_kit})
# Kernels: loops over elements with vector instructions, and algorithms on elements, such as sorting.
set(taper_kernels ${taper_hot})
list(FILTER taper_kernels INCLUDE REGEX "(\\.(hwy|cpu)|_kernel)\\.cpp$")
list(REMOVE_ITEM taper_hot ${taper_kernels})
set(taper_warm_kernels ${taper_warm})
list(FILTER taper_warm_kernels INCLUDE REGEX "(\\.hwy|_kernel)\\.cpp$|/src/cpu/[a-z]+/")
list(REMOVE_ITEM taper_warm ${taper_warm_kernels})
set(taper_core_parts taper_warm taper_hot taper_cold taper_kernels taper_warm_kernels)
set(taper_parts ${taper_core_parts} taper_kit)

taper_batch_kernels(taper_kernels 5)
taper_batch_kernels(taper_warm_kernels 3)
# Kernels per instruction set.
set(taper_vector_kernels ${taper_kernels} ${taper_warm_kernels})
list(FILTER taper_vector_kernels INCLUDE REGEX "\\.hwy\\.cpp$")
set_property(SOURCE ${taper_vector_kernels} APPEND PROPERTY COMPILE_OPTIONS -Wno-missing-declarations)
if(TAPER_SANITIZE)
  # Accumulators of kernels must be in registers, otherwise tests of learning take an hour: full optimization, without
  # the checks of every access that the compiler inserts before it (the address sanitizer's are inserted after it).
  set_property(SOURCE ${taper_vector_kernels} APPEND PROPERTY COMPILE_OPTIONS
    -O3 -fno-sanitize=alignment,bounds,null,object-size,pointer-overflow)
endif()

foreach(part IN LISTS taper_parts)
  add_library(${part} OBJECT ${${part}})
  list(APPEND taper_objects $<TARGET_OBJECTS:${part}>)
endforeach()
foreach(part IN LISTS taper_core_parts)
  list(APPEND taper_core_objects $<TARGET_OBJECTS:${part}>)
endforeach()
add_library(taper ${taper_objects})
add_library(taper::taper ALIAS taper)
set(gnu $<CXX_COMPILER_ID:GNU>)
target_compile_options(taper_warm PRIVATE $<$<AND:$<CONFIG:Release>,${gnu}>:-O2;-fvect-cost-model=dynamic>)
target_compile_options(taper_cold PRIVATE $<$<CONFIG:Release>:-O1>)
target_compile_options(taper_kit PRIVATE $<$<CONFIG:Release>:-O1>)
# GCC limits by how much inlining may enlarge a large unit, which a batch is: as much is inlined as in files of their own.
foreach(part taper_hot taper_kernels)
  target_compile_options(${part} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=large-unit-insns=1000000>)
endforeach()
# Kernels without optimization take up to a hundred times as long. MinSizeRel requests small ones.
set(raised $<AND:$<BOOL:${TAPER_OPTIMIZE_KERNELS}>,$<NOT:$<CONFIG:Release,MinSizeRel>>>)
if(TAPER_SANITIZE)
  set(raised 0)  # those per instruction set, above
endif()
target_compile_options(taper_kernels PRIVATE $<${raised}:-O3>)
target_compile_options(taper_warm_kernels PRIVATE
  $<$<AND:$<OR:$<CONFIG:Release>,${raised}>,${gnu}>:-O2;-fvect-cost-model=dynamic>
  $<$<AND:${raised},$<NOT:${gnu}>>:-O3>)
# Owns the precompiled header of the library.
file(WRITE ${PROJECT_BINARY_DIR}/generated/library.cpp "")
add_library(taper_library_precompiled OBJECT ${PROJECT_BINARY_DIR}/generated/library.cpp)

# Linked libraries, apart from those that consist of headers.
set(taper_linked Highway::Highway fmt::fmt ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
# Public headers export the declarations in a namespace marked TAPER_API. Clang exports the classes among them, but a
# function only if its definition is in a marked namespace as well: with Clang, all symbols are exported.
set(taper_visibility default)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(taper_visibility hidden)
endif()
set(taper_versions VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(target taper ${taper_parts} taper_library_precompiled)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    DEFINE_SYMBOL ""  # the same objects for both kinds of library
    CXX_VISIBILITY_PRESET ${taper_visibility}
    CXX_EXTENSIONS OFF)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # An op without a public declaration is an error. Kernels compiled per instruction set are reached through a table.
  target_compile_options(${target} PRIVATE -Wmissing-declarations)
  # Settings and libraries of headers only matter while taper is built, not for targets that link it.
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:taper_settings> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
    ${taper_linked})
endforeach()
# GCC copies the loops of these reference kernels for each combination of the dtypes of three elements: 12 s.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/ops/reduce/scan.cpp
  APPEND PROPERTY COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fno-thread-jumps>)
# Eigen consists of headers, which only these files include. No other command depends on its folder.
get_target_property(taper_eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
set_property(SOURCE
  ${PROJECT_SOURCE_DIR}/src/ops/linalg/factor_kernel.cpp ${PROJECT_SOURCE_DIR}/src/ops/linalg/spectral_kernel.cpp
  APPEND PROPERTY COMPILE_OPTIONS -isystem ${taper_eigen})
if(TAPER_SANITIZE MATCHES undefined)
  # Half of the time to compile them would be checks of Eigen's own arithmetic.
  set_property(SOURCE
    ${PROJECT_SOURCE_DIR}/src/ops/linalg/factor_kernel.cpp ${PROJECT_SOURCE_DIR}/src/ops/linalg/spectral_kernel.cpp
    APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=undefined)
endif()
# Modules that libtaper loads at run time. Without a dependency, the demo does not wait for the engines.
get_property(taper_modules GLOBAL PROPERTY TAPER_DIST_ENGINES)
if(PROJECT_IS_TOP_LEVEL)
  set(taper_modules "")
endif()
if(TARGET taper_image_codecs)
  list(APPEND taper_modules taper_image_codecs)
endif()
foreach(module IN LISTS taper_modules)
  add_dependencies(taper ${module})
  if(NOT BUILD_SHARED_LIBS AND NOT PROJECT_IS_TOP_LEVEL)
    # A program that contains the library looks for its modules on its run path.
    target_link_options(taper INTERFACE $<BUILD_INTERFACE:LINKER:-rpath,$<TARGET_FILE_DIR:${module}>>)
  endif()
endforeach()
set_target_properties(taper PROPERTIES LINKER_LANGUAGE CXX ${taper_versions})

# Not for kernels, whose optimization may differ. Moreover, with GCC 12 the macro __OPTIMIZE__ remains defined behind a
# precompiled header that contains `#pragma GCC optimize`, as fmt's does in builds without optimization: intrinsics with
# immediate operands are then functions that must be inlined, and are not.
taper_precompile(taper_library_precompiled library)
foreach(target taper_warm taper_hot taper_cold taper_kit)
  taper_precompile(${target} FROM taper_library_precompiled)
endforeach()
# Batches do not contain large files, batches of kernels, and the rows of pointwise ops, which define macros.
set(taper_alone "/generated/|\\.hwy\\.cpp$|(factor|spectral)_kernel\\.cpp$|/ops/(pointwise/.*\\.cpu|sort/.*_kernel)\\.cpp$|/pointwise/(unary|binary|bitwise|alias|activation_rows|elementary[a-z_]*|special)\\.cpp$")
set(taper_warm_batch 24)
set(taper_hot_batch 18)  # in larger ones, less is inlined
set(taper_cold_batch 16)  # one of them is compiled when a layer changes
set(taper_kit_batch 24)
set(taper_kernels_batch 18)
set(taper_warm_kernels_batch 24)
foreach(target IN LISTS taper_parts)
  set(sources ${${target}})
  list(FILTER sources EXCLUDE REGEX "${taper_alone}")
  taper_unity(${target} ${${target}_batch} ${sources})
endforeach()

# Programs link libtaper, or another library of the same objects that their property TAPER_LINK names: taper_shared or
# taper_core. Programs that use the public interface alone link taper_shared, as users' programs do: they test its
# exports, and are not linked again after each change of a kernel. taper_core is the part that the demo needs.
set(taper_link $<IF:$<BOOL:$<TARGET_PROPERTY:TAPER_LINK>>,$<TARGET_PROPERTY:TAPER_LINK>,taper>)
if(BUILD_SHARED_LIBS)
  add_library(taper_shared ALIAS taper)
  add_library(taper_core ALIAS taper)
else()
  add_library(taper_shared SHARED EXCLUDE_FROM_ALL ${taper_objects})
  set_target_properties(taper_shared PROPERTIES OUTPUT_NAME taper ${taper_versions})
  if(NOT TAPER_SANITIZE)  # whose functions are in the program
    target_link_options(taper_shared PRIVATE LINKER:-z,defs)
  endif()
  add_library(taper_core STATIC EXCLUDE_FROM_ALL ${taper_core_objects})
  foreach(library taper_shared taper_core)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
    target_compile_features(${library} INTERFACE cxx_std_20)
    target_include_directories(${library} INTERFACE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${library} PRIVATE taper_settings ${taper_linked})
  endforeach()
  if(TARGET taper_image_codecs)
    add_dependencies(taper_shared taper_image_codecs)
  endif()
endif()
