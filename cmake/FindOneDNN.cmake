# Finds oneDNN, 2.6 or later, as OneDNN::OneDNN. Debian's own config file asks for OpenCL, which we do not need.
find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

if(OneDNN_INCLUDE_DIR)
  file(STRINGS ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h _lines
    REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH)")
  set(OneDNN_VERSION "")
  foreach(_part MAJOR MINOR PATCH)
    if("${_lines}" MATCHES "DNNL_VERSION_${_part} +([0-9]+)")
      list(APPEND OneDNN_VERSION ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN OneDNN_VERSION "." OneDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN
  REQUIRED_VARS OneDNN_LIBRARY OneDNN_INCLUDE_DIR VERSION_VAR OneDNN_VERSION)

if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES
    IMPORTED_LOCATION ${OneDNN_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${OneDNN_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()
