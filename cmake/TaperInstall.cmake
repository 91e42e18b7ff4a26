# cmake --install, and the package that find_package(taper) reads. A static libtaper needs its libraries found
# again by who links it, so our Find modules travel with it.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/taper)

install(TARGETS taper EXPORT taperTargets)
if(TARGET taper_image_codecs)
  install(TARGETS taper_image_codecs LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
get_property(dist_engines GLOBAL PROPERTY TAPER_DIST_ENGINES)
if(dist_engines)
  install(TARGETS ${dist_engines} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/taper)
endif()
if(TARGET taper_taper)
  install(TARGETS taper_taper RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/taper TYPE INCLUDE)
install(EXPORT taperTargets NAMESPACE taper:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/taperConfig.cmake.in
  ${PROJECT_BINARY_DIR}/taperConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/taperConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/taperConfig.cmake ${PROJECT_BINARY_DIR}/taperConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindHighway.cmake
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
