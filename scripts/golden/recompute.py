"""Computes the expected values of golden cases again: python scripts/golden/recompute.py FORMAT FOLDER OUT [FAMILY...]

FORMAT is layers, kit, dist or training. FOLDER contains the case files (<family>.json, <family>.safetensors). Their
arguments, seeds and input tensors are copied to OUT, as are tolerances. Every other value is computed by the installed
PyTorch. docs/oracle.md describes the formats.
"""
import importlib
import os
import pathlib
import shutil
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import torch  # noqa: E402

from case_file import CaseFile  # noqa: E402


def main():
    kind, folder, out, *families = sys.argv[1:]
    folder, out = pathlib.Path(folder), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    module = importlib.import_module(f"{kind}.recompute")
    for path in sorted(folder.glob("*.json")):
        if families and path.stem not in families:
            continue
        if (folder / path.stem).is_dir():  # files of the cases
            shutil.copytree(folder / path.stem, out / path.stem, dirs_exist_ok=True)
        file = CaseFile.read(path)
        module.recompute_file(file, out)
        file.write(out)
    module.finish()


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # some messages of PyTorch print sets
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()
