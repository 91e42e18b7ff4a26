#!/bin/bash
# bench [options]: measure speed and size (--json FILE; --peer PYTHON compares with its PyTorch; --ops --peer PYTHON compares every op; --building [--ci])
setup build
if [[ ${1:-} == --building ]]; then
  setup check
  exec python3 scripts/building/cost.py "${@:2}"
fi
run_program taper_bench "$@"
