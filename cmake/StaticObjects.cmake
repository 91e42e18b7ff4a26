# Run by ctest: passes if no object file of the static library LIBRARY registers a destructor of an object of static or
# thread storage duration. Destructors of the user's objects and exit handlers may run later and use the library:
# NeverDestroyed and PerThread of src/core replace such objects.
execute_process(COMMAND ${NM} -A -u ${LIBRARY} RESULT_VARIABLE status OUTPUT_VARIABLE symbols ERROR_QUIET)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM} cannot read ${LIBRARY}")
endif()
string(REGEX MATCHALL "[^\n:]+:[^\n:]*__cxa_(thread_)?atexit" users "${symbols}")
if(users)
  list(JOIN users "\n" users)
  message(FATAL_ERROR "These files have objects whose destructors run when the process or a thread ends:\n${users}")
endif()
