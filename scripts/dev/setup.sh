#!/bin/bash
# setup [dist|examples]: install what is missing to build, test and check; or for several processes, or examples (with apt)
(($# <= 1)) || bad_usage "takes one group, got '$*'"
case ${1:-} in
  "") setup build check clang ;;
  dist)
    setup build dist
    touch CMakeLists.txt # so that builds look for the libraries
    ;;
  examples) setup examples ;;
  *) bad_usage "unknown group '$1', expected dist or examples" ;;
esac
