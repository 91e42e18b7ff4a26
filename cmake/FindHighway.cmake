# Finds Highway as Highway::Highway.
find_path(Highway_INCLUDE_DIR hwy/highway.h)
find_library(Highway_LIBRARY hwy)
mark_as_advanced(Highway_INCLUDE_DIR Highway_LIBRARY)

if(Highway_INCLUDE_DIR)
  file(STRINGS ${Highway_INCLUDE_DIR}/hwy/base.h _lines REGEX "define HWY_(MAJOR|MINOR|PATCH)")
  if(NOT _lines)  # the numbers moved to highway.h in some releases
    file(STRINGS ${Highway_INCLUDE_DIR}/hwy/highway.h _lines REGEX "define HWY_(MAJOR|MINOR|PATCH)")
  endif()
  set(Highway_VERSION "")
  foreach(_part MAJOR MINOR PATCH)
    if("${_lines}" MATCHES "HWY_${_part} +([0-9]+)")
      list(APPEND Highway_VERSION ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN Highway_VERSION "." Highway_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Highway
  REQUIRED_VARS Highway_LIBRARY Highway_INCLUDE_DIR VERSION_VAR Highway_VERSION)

if(Highway_FOUND AND NOT TARGET Highway::Highway)
  add_library(Highway::Highway UNKNOWN IMPORTED)
  set_target_properties(Highway::Highway PROPERTIES
    IMPORTED_LOCATION ${Highway_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Highway_INCLUDE_DIR})
  if(Highway_LIBRARY MATCHES "\\.so")
    set_property(TARGET Highway::Highway PROPERTY INTERFACE_COMPILE_DEFINITIONS HWY_SHARED_DEFINE)
  endif()
endif()
