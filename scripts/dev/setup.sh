#!/bin/bash
# setup [dist]: install what is missing to build, test and check, or the engines of distributed training (with apt)
(($# <= 1)) || bad_usage "takes one group, got '$*'"
case ${1:-} in
  "") setup build check clang ;;
  dist)
    setup build dist
    touch CMakeLists.txt # so that builds look for the libraries
    ;;
  *) bad_usage "unknown group '$1', expected dist" ;;
esac
