# src/dist_engines/ -> modules libtaper_dist_<engine>, which libtaper loads in jobs of several processes: gloo, and mpi
# for each of Open MPI and MPICH. Each is built if its library is installed. They do not link libtaper.
set(root ${PROJECT_SOURCE_DIR}/src/dist_engines)
if(TAPER_SANITIZE MATCHES thread)
  return()  # threads of Gloo and MPI are not instrumented
endif()

function(taper_add_dist_engine name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${root}/${folder}/*.cpp)
  # Reductions, and the arithmetic of 16-bit floats, are compiled again.
  add_library(taper_dist_${name} MODULE ${sources}
    ${PROJECT_SOURCE_DIR}/src/dist/reduction.cpp ${PROJECT_SOURCE_DIR}/src/core/half.cpp)
  set_target_properties(taper_dist_${name} PROPERTIES
    CXX_VISIBILITY_PRESET hidden CXX_EXTENSIONS OFF)
  target_include_directories(taper_dist_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(taper_dist_${name} PRIVATE
    $<$<CONFIG:Release>:-O2> $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=dynamic>)
  if(NOT TAPER_SANITIZE)
    target_link_options(taper_dist_${name} PRIVATE LINKER:--no-undefined)
  endif()
  target_link_libraries(taper_dist_${name} PRIVATE taper_settings Threads::Threads ${ARGN})
  taper_unity(taper_dist_${name} 12 ${sources})
  set_property(GLOBAL APPEND PROPERTY TAPER_DIST_ENGINES taper_dist_${name})
  message(STATUS "Distributed engine: ${name}")
endfunction()

find_path(TAPER_GLOO_INCLUDE gloo/rendezvous/context.h)
find_library(TAPER_GLOO_LIBRARY gloo)
mark_as_advanced(TAPER_GLOO_INCLUDE TAPER_GLOO_LIBRARY)
if(TAPER_GLOO_INCLUDE AND TAPER_GLOO_LIBRARY)
  taper_add_dist_engine(gloo gloo ${TAPER_GLOO_LIBRARY})
  target_include_directories(taper_dist_gloo SYSTEM PRIVATE ${TAPER_GLOO_INCLUDE})
endif()

if(TAPER_SANITIZE)
  return()  # MPI does not release its memory
endif()
# The flags of the compilers of MPI, rather than the compilers, which are g++ whatever compiles the rest.
foreach(flavor openmpi mpich)
  find_program(TAPER_MPICXX_${flavor} mpicxx.${flavor})
  mark_as_advanced(TAPER_MPICXX_${flavor})
  if(NOT TAPER_MPICXX_${flavor})
    continue()
  endif()
  execute_process(COMMAND ${TAPER_MPICXX_${flavor}} -show OUTPUT_VARIABLE command RESULT_VARIABLE failure)
  if(failure)
    continue()
  endif()
  separate_arguments(words UNIX_COMMAND "${command}")
  set(includes ${words})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(libraries ${words})
  list(FILTER libraries INCLUDE REGEX "^-[lL]")
  list(FILTER libraries EXCLUDE REGEX "cxx$")  # bindings of C++, which are not used
  add_library(taper_${flavor} INTERFACE)
  target_include_directories(taper_${flavor} SYSTEM INTERFACE ${includes})
  target_compile_definitions(taper_${flavor} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(taper_${flavor} INTERFACE ${libraries})
  taper_add_dist_engine(${flavor} mpi taper_${flavor})
endforeach()
