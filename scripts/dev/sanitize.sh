#!/bin/bash
# sanitize [address|library|thread|--fuzz SECONDS [target...]]: run the tests under sanitizers, or fuzzers
fuzz_one() {  # target seconds: runs it from the seeds and from the inputs that earlier runs kept
  local target=$1 seconds=$2 root=$PWD status=0
  local work=$root/build/fuzz/work/$target kept=$root/build/fuzz/kept/$target log=$root/build/fuzz/$target.log
  local findings=$root/build/fuzz/crashes/$target seeds=$root/tests/fuzz/seeds/$target
  mkdir -p "$work" "$kept" "$findings"
  # The limits of memory are those of reading a file, plus the sanitizer's memory. Watched files are linked twice
  # (cmake/TaperFuzz.cmake).
  (cd "$work" && exec env \
    ASAN_OPTIONS="quarantine_size_mb=16:malloc_context_size=10:detect_odr_violation=0:${ASAN_OPTIONS:-}" \
    UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}" OMP_NUM_THREADS=1 \
    "$root/build/fuzz/bin/fuzz_$target" "-max_total_time=$seconds" -timeout=10 -rss_limit_mb=700 \
    -malloc_limit_mb=80 -max_len=65536 -len_control=20 -print_final_stats=1 "-artifact_prefix=$findings/" \
    "-dict=$root/tests/fuzz/words.dict" "$kept" "$seeds") >"$log" 2>&1 || status=$?
  awk -v target="$target" -v status="$status" -v file="build/fuzz/$target.log" '
    /^stat::number_of_executed_units/ {runs = $2}
    /Test unit written to/ {found = $NF}
    /cov: / {for (i = 1; i < NF; ++i) if ($i == "cov:") covered = $(i + 1)}
    END {
      printf "%s: %d inputs, %d edges, ", target, runs, covered
      if (status == 0) print "no finding"
      else print "FINDING " found " (" file ")"
    }' "$log"
  return $((status != 0))
}

fuzz() {  # seconds target...: as many at once as there are jobs
  local seconds=$1 target status=0 running=()
  shift
  build asan taper
  build fuzz
  local targets=("$@")
  if ((!$#)); then
    targets=($(printf '%s\n' build/fuzz/bin/fuzz_* | sed 's/.*bin.fuzz_//'))
  fi
  for target in "${targets[@]}"; do
    [[ -x build/fuzz/bin/fuzz_$target ]] || bad_usage "unknown target '$target'"
  done
  for target in "${targets[@]}"; do
    if ((${#running[@]} >= $(parallel_jobs))); then
      wait "${running[0]}" || status=1
      running=("${running[@]:1}")
    fi
    fuzz_one "$target" "$seconds" &
    running+=($!)
  done
  for target in "${running[@]}"; do wait "$target" || status=1; done
  return "$status"
}

setup build clang  # GCC takes twice as long to compile instrumented code
if [[ ${1:-} == --fuzz ]]; then
  [[ ${2:-} =~ ^[0-9]+$ ]] || bad_usage "--fuzz needs a number of seconds"
  fuzz "${@:2}"
  exit
fi
(($# <= 1)) || bad_usage "takes one argument, got '$*'"
[[ ${1:-address} =~ ^(address|library|thread)$ ]] || bad_usage "unknown sanitizer '$1'"
if [[ ${1:-address} != thread ]]; then
  targets=() tests=()
  if [[ ${1:-} == library ]]; then  # without the tests of programs and of rejected code
    targets=(library_tests) tests=(-L '^library$')
  fi
  build asan "${targets[@]}"
  ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:${ASAN_OPTIONS:-} \
    UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-} run_ctest asan "${tests[@]}"
fi
if [[ ${1:-thread} == thread ]]; then
  build tsan
  TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-} run_ctest tsan
fi
