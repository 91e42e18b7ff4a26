#!/bin/bash
# killed_runs.sh PROGRAM COUNT SEED: a training program that saves checkpoints to the folder of its argument has the same
# result if ranks are killed. Runs it COUNT times under `taper run` with 2 or 3 ranks and kills a rank at 1 to 3 random
# times, by SIGKILL. The result must be that of an uninterrupted run: the same digits if the number of ranks is restored
# after a failure, a difference of at most 1e-4 if the run continues with fewer ranks. Ends with status 77 if the engine
# is not built.
set -euo pipefail
program=$1 count=$2
RANDOM=$3
launcher=$(dirname "$program")/taper
if [[ ! -f $(dirname "$program")/../lib/libtaper_dist_gloo.so ]]; then
  echo "the engine gloo is not built: its library is not installed (./dev setup dist)"
  exit 77
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 OMP_NUM_THREADS=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# kill_ranks PID TIME: kills a random rank of the launcher at 1 to 3 random times within TIME milliseconds.
kill_ranks() {
  local kills=$((1 + RANDOM % 3)) ranks
  for ((k = 0; k < kills; ++k)); do
    sleep "$(printf '%d.%03d' $((RANDOM % ($2 + 1) / 1000)) $((RANDOM % ($2 + 1) % 1000)))"
    ranks=()
    read -ra ranks <"/proc/$1/task/$1/children" || true  # the launcher may have ended
    if ((${#ranks[@]})) && kill -KILL "${ranks[RANDOM % ${#ranks[@]}]}"; then
      killed=$((killed + 1))
    fi
  done 2>/dev/null
}

declare -A expected duration
for ranks in 2 3; do
  begin=$(milliseconds)
  expected[$ranks]=$("$launcher" run -n $ranks --no-prefix "$program" "$folder/whole-$ranks" | tail -n 1)
  duration[$ranks]=$(($(milliseconds) - begin))
  echo "$ranks ranks: ${expected[$ranks]} after ${duration[$ranks]} ms"
done

killed=0
for ((run = 0; run < count; ++run)); do
  ranks=$((2 + run % 2)) minimum=$((run % 4 < 2 ? ranks : 1))
  "$launcher" run -n $minimum:$ranks --max-restarts 10 --no-prefix "$program" "$folder/$run" \
    >"$folder/out" 2>"$folder/err" &
  kill_ranks $! "${duration[$ranks]}"
  wait $! || {
    echo "run $run with $ranks ranks failed:"
    cat "$folder/err"
    exit 1
  }
  result=$(tail -n 1 "$folder/out")
  rm -rf "${folder:?}/$run"
  awk -v a="${result#loss }" -v b="${expected[$ranks]#loss }" -v limit=$((minimum == ranks ? 0 : 1))e-4 '
    BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= limit) }' || {
    echo "run $run with $minimum to $ranks ranks: got '$result', expected '${expected[$ranks]}'"
    cat "$folder/err"
    exit 1
  }
done
echo "$count runs, $killed ranks killed"
((killed > 0))
