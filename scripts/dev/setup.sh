#!/bin/bash
# setup: install what is missing to build, test and check (with apt)
(($# == 0)) || bad_usage "takes no arguments, got '$*'"
setup build check clang
