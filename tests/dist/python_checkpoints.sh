#!/bin/bash
# python_checkpoints.sh PROGRAM [PYTHON]: two ranks of taper_test_ranks write checkpoints, which PyTorch reads and
# compares. Ends with status 77, which CTest reports as skipped, if Gloo or PyTorch is not installed.
set -euo pipefail
program=$1 python=${2:-python3} root=$(cd "$(dirname "$0")/../.." && pwd)
if ! "$python" -c "import torch, safetensors" 2>/dev/null; then
  echo "PyTorch or safetensors is not installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TAPER_CHECKPOINTS=$folder "$root/tests/dist/run_ranks.sh" gloo 2 "$program" --scenario=write_checkpoints
"$python" "$root/scripts/golden/rank_checkpoints.py" "$folder"
