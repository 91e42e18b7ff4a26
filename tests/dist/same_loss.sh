#!/bin/bash
# same_loss.sh LAUNCHER PROGRAM: the last number of the last line that a program prints is the same with 1, 2 and 4
# processes, except for 1e-5. Ends with status 77 if the launcher or its engine is not installed.
set -euo pipefail
launcher=$1 program=$2
losses=()
for count in 1 2 4; do
  output=$("$(dirname "$0")/run_ranks.sh" "$launcher" "$count" "$program") || {
    status=$?
    echo "$output"
    exit $status
  }
  losses+=("$(tail -n 1 <<<"$output" | grep -oE '[0-9.e+-]+$')")
done
echo "losses with 1, 2 and 4 processes: ${losses[*]}"
awk -v a="${losses[0]}" -v b="${losses[1]}" -v c="${losses[2]}" '
  function differs(x, y) { return x - y > 1e-5 || y - x > 1e-5 }
  BEGIN { exit differs(a, b) || differs(a, c) }'
