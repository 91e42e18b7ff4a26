#!/bin/bash
# build [release|debug]: build the library, the tools and the tests
kind=${1:-release}
[[ $kind =~ ^(release|debug)$ ]] || bad_usage "unknown kind of build '$kind'"
(($# <= 1)) || bad_usage "takes one argument, got '$*'"
setup build
build "$kind"
