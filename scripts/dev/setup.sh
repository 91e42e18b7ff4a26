#!/bin/bash
# setup [dist|examples|lapack]: install missing packages to build, test and check, or for the named purpose (with apt)
(($# <= 1)) || bad_usage "takes one group, got '$*'"
case ${1:-} in
  "") setup build check clang lapack ;;
  dist)
    setup build dist
    touch CMakeLists.txt # so that builds look for the libraries
    ;;
  examples | lapack) setup "$1" ;;
  *) bad_usage "unknown group '$1', expected dist, examples or lapack" ;;
esac
