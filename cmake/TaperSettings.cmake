# Settings of our own targets: they travel by the interface target taper_settings, never by global flags,
# so that a project that contains taper keeps its own.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  endif()
  find_program(TAPER_CCACHE ccache)
  mark_as_advanced(TAPER_CCACHE)
  if(TAPER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TAPER_CCACHE})
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endif()

if(NOT TAPER_THREADS MATCHES "^(openmp|std)$")
  message(FATAL_ERROR "TAPER_THREADS must be openmp or std, got '${TAPER_THREADS}'")
endif()

add_library(taper_settings INTERFACE)
target_compile_features(taper_settings INTERFACE cxx_std_20)
# Contracting a * b + c would change the bits of random numbers and of gradients.
target_compile_options(taper_settings INTERFACE
  -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion $<$<BOOL:${TAPER_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(taper_settings INTERFACE -Wno-restrict)  # false alarms on "text" + std::string
endif()
if(TAPER_ONE_ISA)
  target_compile_definitions(taper_settings INTERFACE HWY_COMPILE_ONLY_STATIC)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # Highway's baseline there is one lane at a time: neither the code that users run nor bearable in tests.
    target_compile_options(taper_settings INTERFACE -march=x86-64-v3 -maes -mpclmul)
  endif()
endif()
if(TAPER_THREADS STREQUAL "std")
  target_compile_definitions(taper_settings INTERFACE TAPER_STD_THREADS)
endif()
if(TAPER_SANITIZE)
  target_compile_options(taper_settings INTERFACE
    -fsanitize=${TAPER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(taper_settings INTERFACE -fsanitize=${TAPER_SANITIZE})
endif()
