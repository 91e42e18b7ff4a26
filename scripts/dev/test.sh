#!/bin/bash
# test [pattern]: run the tests; those of one area, or whose name contains the pattern
(($# <= 1)) || bad_usage "takes one pattern, got '$*'"
pattern=${1:-}
[[ $pattern != -* ]] || bad_usage "unknown option '$pattern'"
setup build
if [[ -z $pattern ]]; then
  build release
  run_ctest release
elif [[ $pattern =~ ^[a-z_0-9]+$ && -d tests/$pattern ]]; then
  if compgen -G "tests/$pattern/*.cpp" >/dev/null; then
    build release "test_$pattern"
  else
    build release
  fi
  run_ctest release -L "^$pattern\$"
else
  build release
  found=0
  for program in build/release/bin/test_*; do
    if [[ -n $("$program" --gtest_list_tests "--gtest_filter=*$pattern*" | grep '^  ') ]]; then
      found=1
      "$program" --gtest_brief=1 "--gtest_filter=*$pattern*"
    fi
  done
  ((found)) || bad_usage "no test has '$pattern' in its name, and there is no folder tests/$pattern"
fi
