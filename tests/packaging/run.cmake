# Run by ctest: builds and runs the program of app/ in FOLDER, against an install of BUILD (WAY=install), or
# with the tree SOURCE as a part of its own build, as a shared library (WAY=subdirectory).
file(REMOVE_RECURSE ${FOLDER})
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/tests/packaging/app -B ${FOLDER}/build
  -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${COMPILER})
if(WAY STREQUAL "install")
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/prefix
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND configure -DCMAKE_PREFIX_PATH=${FOLDER}/prefix)
else()
  string(REPLACE "," "\\;" LAUNCHER "${LAUNCHER}")
  # Builds the whole library again without optimization, since only the build itself is tested.
  list(APPEND configure -DTAPER_SOURCE=${SOURCE} -DBUILD_SHARED_LIBS=ON -DTAPER_ONE_ISA=ON
    -DCMAKE_CXX_FLAGS_RELEASE=-O0 "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
endif()
execute_process(COMMAND ${configure} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER}/build --parallel 2 COMMAND_ERROR_IS_FATAL ANY)

function(expect_output pattern)
  execute_process(COMMAND ${FOLDER}/build/app OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "the program printed: ${output}")
  endif()
endfunction()
expect_output("^taper [0-9]+\\.[0-9]+\\.[0-9]+\nimage \\[3, 4, 5\\]\n")
if(WAY STREQUAL "install")
  file(GLOB_RECURSE codecs ${FOLDER}/prefix/libtaper_image_codecs.so)
  file(REMOVE ${codecs})
  expect_output("\nerror encode_png: cannot load the image codecs libtaper_image_codecs.so")
endif()
