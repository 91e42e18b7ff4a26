# src/image_codecs/ -> module libtaper_image_codecs, which libtaper loads when a program first reads or writes a JPEG or
# PNG image. Without the headers of libjpeg and libpng the module is not built, and those functions throw.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/core/library_files.cpp
  APPEND PROPERTY COMPILE_DEFINITIONS TAPER_INSTALL_LIBDIR="${CMAKE_INSTALL_LIBDIR}"
  TAPER_INSTALL_FULL_LIBDIR="${CMAKE_INSTALL_FULL_LIBDIR}")
find_package(JPEG)
find_package(PNG 1.6)
if(NOT JPEG_FOUND OR NOT PNG_FOUND)
  message(STATUS "JPEG and PNG images are not supported: the headers of libjpeg or libpng are missing")
  return()
endif()
file(GLOB codec_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/image_codecs/*.cpp)
add_library(taper_image_codecs MODULE ${codec_sources})
set_target_properties(taper_image_codecs PROPERTIES CXX_VISIBILITY_PRESET hidden CXX_EXTENSIONS OFF)
target_include_directories(taper_image_codecs PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(taper_image_codecs PRIVATE -Wmissing-declarations)
target_link_libraries(taper_image_codecs PRIVATE taper_settings JPEG::JPEG PNG::PNG)
