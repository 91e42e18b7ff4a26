#!/bin/bash
# killed_runs.sh LAUNCHER PROGRAM COUNT SEED: a training program that saves checkpoints to the folder of its argument
# has the same result if ranks are killed. Runs it COUNT times, or until a rank was killed, with 2 or 3 ranks and
# kills a rank at 1 to 3 random times, by SIGKILL. The launcher is `taper run` (gloo) or torchrun. The result must be
# that of an uninterrupted run: the same digits if the number of ranks is restored after a failure, as torchrun always
# does; a difference of at most 1e-4 if the run continues with fewer ranks. Ends with status 77 if the engine is not
# built or torchrun is not installed.
set -euo pipefail
launcher=$1 program=$2 count=$3
RANDOM=$4
if [[ ! -f $(dirname "$program")/../lib/libtaper_dist_gloo.so ]]; then
  echo "the engine gloo is not built: its library is not installed (./dev setup dist)"
  exit 77
fi
if [[ $launcher == torchrun ]] && ! command -v torchrun >/dev/null; then
  echo "torchrun is not installed"
  exit 77
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 OMP_NUM_THREADS=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# launch MINIMUM RANKS FOLDER: replaces the shell by the launcher.
launch() {
  case $launcher in
    gloo) exec "$(dirname "$program")/taper" run -n "$1:$2" --max-restarts 10 --no-prefix "$program" "$3" ;;
    torchrun)
      exec torchrun --no-python --nproc-per-node "$2" --max-restarts 10 --monitor-interval 0.1 "$program" "$3" ;;
  esac
}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# await_ranks PID: waits until the launcher has started ranks, or ended.
await_ranks() {
  local ranks=()
  while kill -0 "$1" && ((!${#ranks[@]})); do
    sleep 0.02
    read -ra ranks <"/proc/$1/task/$1/children" || true
  done 2>/dev/null
}

# kill_ranks PID TIME: kills a random rank of the launcher at 1 to 3 random times within TIME milliseconds.
kill_ranks() {
  local kills=$((1 + RANDOM % 3)) ranks
  await_ranks "$1"
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
  launch $ranks $ranks "$folder/whole-$ranks" >"$folder/out" &
  await_ranks $!
  begin=$(milliseconds)
  wait $!
  duration[$ranks]=$(($(milliseconds) - begin))
  expected[$ranks]=$(tail -n 1 "$folder/out")
  echo "$ranks ranks: ${expected[$ranks]} after ${duration[$ranks]} ms"
done

killed=0 launcher_restores=$([[ $launcher == torchrun ]] && echo 1 || echo 0)
for ((run = 0; run < count || !killed; ++run)); do  # a run may end before each of its kills
  ranks=$((2 + run % 2))
  minimum=$((run % 4 < 2 || launcher_restores ? ranks : 1))
  launch $minimum $ranks "$folder/$run" >"$folder/out" 2>"$folder/err" &
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
echo "$run runs, $killed ranks killed"
