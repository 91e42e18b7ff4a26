#!/bin/bash
# sanitize [address|thread]: run the tests under sanitizers, both kinds unless one is named
(($# <= 1)) || bad_usage "takes one argument, got '$*'"
[[ ${1:-address} =~ ^(address|thread)$ ]] || bad_usage "unknown sanitizer '$1'"
setup build
if [[ ${1:-address} == address ]]; then
  build asan
  ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:${ASAN_OPTIONS:-} \
    LSAN_OPTIONS=suppressions=$PWD/scripts/dev/leaks.supp:print_suppressions=0:${LSAN_OPTIONS:-} \
    UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-} run_ctest asan
fi
if [[ ${1:-thread} == thread ]]; then
  build tsan
  # oneDNN runs on libgomp, whose waits the sanitizer cannot see: one thread there, all of ours elsewhere.
  OMP_NUM_THREADS=1 TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-} run_ctest tsan
fi
