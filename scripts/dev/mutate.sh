#!/bin/bash
# mutate [COUNT [SEED]]: measure the tests with random single-line faults in a copy of the tree (60 faults by default)
setup build
exec python3 scripts/mutation/mutate.py "${1:-60}" "${2:-1}"
