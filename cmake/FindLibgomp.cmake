# Finds GCC's OpenMP runtime as Libgomp::Libgomp, with either compiler. oneDNN of Debian runs on
# libgomp, and a program with a second OpenMP runtime would have two pools of threads, so Clang gets it too.
find_library(Libgomp_LIBRARY NAMES gomp libgomp.so.1)
if(NOT Libgomp_LIBRARY)
  find_program(Libgomp_GCC NAMES gcc g++ gcc-14 gcc-13 gcc-12)
  mark_as_advanced(Libgomp_GCC)
  if(Libgomp_GCC)
    foreach(_name libgomp.so libgomp.so.1)
      execute_process(COMMAND ${Libgomp_GCC} -print-file-name=${_name}
        OUTPUT_VARIABLE _path OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(IS_ABSOLUTE "${_path}" AND EXISTS "${_path}")
        set(Libgomp_LIBRARY ${_path} CACHE FILEPATH "GCC's OpenMP runtime" FORCE)
        break()
      endif()
    endforeach()
  endif()
endif()
mark_as_advanced(Libgomp_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libgomp REQUIRED_VARS Libgomp_LIBRARY)

if(Libgomp_FOUND AND NOT TARGET Libgomp::Libgomp)
  add_library(Libgomp::Libgomp UNKNOWN IMPORTED)
  set_target_properties(Libgomp::Libgomp PROPERTIES IMPORTED_LOCATION ${Libgomp_LIBRARY})
endif()
