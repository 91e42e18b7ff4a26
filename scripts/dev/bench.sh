#!/bin/bash
# bench [options]: measure speed and size (--json FILE; --peer PYTHON compares with its PyTorch)
setup build
run_program taper_bench "$@"
