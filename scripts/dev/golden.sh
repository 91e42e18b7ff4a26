#!/bin/bash
# golden [NAME...] [--keep FOLDER]: compute the golden data of the tests with PyTorch and list differences (TAPER_PYTHON=PYTHON)
root=$PWD python=${TAPER_PYTHON:-python3}
cd "$caller"
"$python" -c "import torch" 2>/dev/null ||
  fail "needs PyTorch and the packages of scripts/golden/requirements.txt: TAPER_PYTHON=PYTHON names an interpreter"
exec "$python" "$root/scripts/golden/all.py" "$@"
