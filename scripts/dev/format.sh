#!/bin/bash
# format: rewrite the C++ sources in the form of .clang-format
(($# == 0)) || bad_usage "takes no arguments, got '$*'"
setup check
git ls-files -z --cached --others --exclude-standard '*.h' '*.cpp' | xargs -0 -r clang-format -i
