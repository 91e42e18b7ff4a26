#!/bin/bash
# run_ranks.sh LAUNCHER N PROGRAM...: runs a program as N processes by the launcher of an engine (gloo: taper run). Ends
# with status 77, which CTest reports as skipped, if the engine or its launcher is not installed, or if MPI cannot start
# any process on this machine.
set -euo pipefail
launcher=$1 count=$2
shift 2
engine=${launcher/torchrun/gloo}
library=$(dirname "$1")/../lib/libtaper_dist_$engine.so
if [[ ! -f $library ]]; then
  echo "the engine $engine is not built: its library is not installed (./dev setup dist)"
  exit 77
fi
# LeakSanitizer crashes if a thread of Gloo ends while it stops all threads.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
# The machine may have fewer cores than ranks, and run tests as root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
case $launcher in
  gloo) command=("$(dirname "$1")/taper" run -n "$count") ;;
  torchrun) command=(torchrun --no-python --nproc-per-node "$count") ;;
  openmpi) command=(mpirun.openmpi --oversubscribe -n "$count") ;;
  mpich) command=(mpirun.mpich -n "$count") ;;
esac
if ! command -v "${command[0]}" >/dev/null; then
  echo "${command[0]} is not installed"
  exit 77
fi
if [[ $launcher == *mpi* ]] && ! timeout 60 "${command[@]}" true; then
  echo "${command[0]} cannot start processes on this machine"
  exit 77
fi
exec "${command[@]}" "$@"
