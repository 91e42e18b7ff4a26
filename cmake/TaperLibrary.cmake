# The library itself: every source under src/.
file(GLOB_RECURSE taper_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
# Test samples of ops stand beside them and belong to tests and benchmarks.
list(FILTER taper_sources EXCLUDE REGEX "\\.samples\\.cpp$")
# The image codecs are a module of their own.
list(FILTER taper_sources EXCLUDE REGEX "/src/image_codecs/")
if(NOT TAPER_ONEDNN)
  list(FILTER taper_sources EXCLUDE REGEX "\\.onednn\\.cpp$")
endif()
set(taper_kernels ${taper_sources})
list(FILTER taper_kernels INCLUDE REGEX "\\.hwy\\.cpp$")
# Kernels and what they stand on know no Tensor: without the precompiled header, a change of tensor.h compiles none.
set(taper_without_tensors ${taper_sources})
list(FILTER taper_without_tensors INCLUDE REGEX "\\.hwy\\.cpp$|/src/cpu/")
set_source_files_properties(${taper_without_tensors} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
# The largest kernels are vectorized and unrolled by hand: -O3 compiles them half as long again, for the same speed.
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/src/ops/reduce/fold.hwy.cpp ${PROJECT_SOURCE_DIR}/src/cpu/gemm/gemm.hwy.cpp
  PROPERTIES COMPILE_OPTIONS "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O2;-fvect-cost-model=dynamic>")
if(TAPER_SANITIZE)
  # Accumulators of kernels must live in registers, or tests of learning take an hour: full optimisation, and none
  # of the checks of every access that come before it (the address sanitizer's come after).
  set_source_files_properties(${taper_kernels} PROPERTIES
    COMPILE_OPTIONS "-O3;-fno-sanitize=alignment,bounds,null,object-size,pointer-overflow")
endif()
# What runs once per file, per print or per configuration, and what calls ops: layers (six of them execute as many
# instructions with -O3), metrics and distributions: -O1 takes a quarter off its compilation.
set(taper_cold ${taper_sources})
list(FILTER taper_cold INCLUDE REGEX
  "/src/(io/(legacy|npy|safetensors)|core/print|distributions|metrics|nn/(inspect|layers|python_interop|registry|utils)|optim/lr_scheduler|train)/")
list(FILTER taper_cold EXCLUDE REGEX "\\.hwy\\.cpp$")
list(REMOVE_ITEM taper_sources ${taper_cold})

if(TAPER_ONEDNN)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/cpu/conv/conv.cpp APPEND PROPERTY COMPILE_DEFINITIONS TAPER_ONEDNN)
endif()

add_library(taper ${taper_sources})
add_library(taper::taper ALIAS taper)
add_library(taper_cold OBJECT ${taper_cold})
target_compile_options(taper_cold PRIVATE $<$<CONFIG:Release>:-O1>)
target_sources(taper PRIVATE $<TARGET_OBJECTS:taper_cold>)
# Owns the precompiled header of the library.
file(WRITE ${PROJECT_BINARY_DIR}/generated/library.cpp "")
add_library(taper_library_precompiled OBJECT ${PROJECT_BINARY_DIR}/generated/library.cpp)

foreach(target taper taper_cold taper_library_precompiled)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    DEFINE_SYMBOL ""  # the same objects for both kinds of library
    CXX_VISIBILITY_PRESET hidden  # public headers export what is in a namespace marked TAPER_API
    CXX_EXTENSIONS OFF)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # An op without a public declaration is an error. Kernels compiled per instruction set are reached through a table.
  target_compile_options(${target} PRIVATE -Wmissing-declarations)
  # What is header-only or a setting matters while building taper, not to who links it.
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:taper_settings> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
    ${taper_onednn} Highway::Highway fmt::fmt ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
endforeach()
set_property(SOURCE ${taper_kernels} APPEND PROPERTY COMPILE_OPTIONS -Wno-missing-declarations)
# Eigen consists of headers, which only these files include. No other command depends on its folder. Without
# optimization, GCC 12 rejects its prefetches behind a precompiled header.
get_target_property(taper_eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
set_property(SOURCE
  ${PROJECT_SOURCE_DIR}/src/ops/linalg/factor_kernel.cpp ${PROJECT_SOURCE_DIR}/src/ops/linalg/spectral_kernel.cpp
  APPEND PROPERTY COMPILE_OPTIONS -isystem ${taper_eigen})
set_property(SOURCE
  ${PROJECT_SOURCE_DIR}/src/ops/linalg/factor_kernel.cpp ${PROJECT_SOURCE_DIR}/src/ops/linalg/spectral_kernel.cpp
  PROPERTY SKIP_PRECOMPILE_HEADERS ON)
if(TAPER_SANITIZE MATCHES undefined)
  # Half of the time to compile them would be checks of Eigen's own arithmetic.
  set_property(SOURCE
    ${PROJECT_SOURCE_DIR}/src/ops/linalg/factor_kernel.cpp ${PROJECT_SOURCE_DIR}/src/ops/linalg/spectral_kernel.cpp
    APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=undefined)
endif()
if(TARGET taper_image_codecs)
  add_dependencies(taper taper_image_codecs)
  if(NOT BUILD_SHARED_LIBS AND NOT PROJECT_IS_TOP_LEVEL)
    # A program that contains the library looks for the module on its run path.
    target_link_options(taper INTERFACE
      $<BUILD_INTERFACE:LINKER:-rpath,$<TARGET_FILE_DIR:taper_image_codecs>>)
  endif()
endif()
set_target_properties(taper PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

taper_precompile(taper_library_precompiled library)
taper_precompile(taper FROM taper_library_precompiled)
taper_precompile(taper_cold FROM taper_library_precompiled)
# Kernels are compiled one by one: they are compiled for several instruction sets, or specialize templates that the file
# of their op uses. So are the rows of pointwise ops, which define macros.
set(taper_batched ${taper_sources})
list(FILTER taper_batched INCLUDE REGEX "/src/(core|autograd|ops/[a-z]+|nn|optim|data|distributions|metrics|io|backend)/")
list(FILTER taper_batched EXCLUDE REGEX "(\\.(hwy|cpu|ref|onednn)|_kernel|/pointwise/(unary|binary|bitwise|alias|activation_rows|elementary[a-z_]*|special))\\.cpp$")
# Nor what runs for every call, step or entry of a state dict: in a batch, GCC inlines less of it.
list(FILTER taper_batched EXCLUDE REGEX "/src/(nn/module/(hooked_call|typed_hooks|state_dict)|optim/sgd)\\.cpp$")
taper_unity(taper 8 ${taper_batched})
taper_unity(taper_cold 8 ${taper_cold})
