"""Computes all golden data of the tests again and compares it: python scripts/golden/all.py [NAME...] [--keep FOLDER]

Every generator writes into a temporary folder. A report lists the differences to the committed data; the tree is not
changed. NAME selects data by the start of its path under tests/, such as data/kit. --keep writes into FOLDER instead,
from which the data can be copied. Needs the packages of requirements.txt.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from case_file import installed
from compare import compare_paths

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1] / "tests"
# Path of the data under tests/, its generator and the arguments; {old} is the committed data, {new} its new place.
DATA = [
    ("oracle_cases", "recompute.py", ["layers", "{old}", "{new}"]),
    ("data/kit", "recompute.py", ["kit", "{old}", "{new}"]),
    ("data/dist", "recompute.py", ["dist", "{old}", "{new}"]),
    ("data/training", "recompute.py", ["training", "{old}", "{new}", "distributions", "init", "optim", "rng", "sched"]),
    ("data/training", "distribution_samples.py", ["{new}/distribution_samples"]),
    ("data/autograd.json", "autograd.py", ["{old}", "{new}"]),
    ("data/continued_run.pt", "continued_run.py", ["make", "{new}"]),
    ("data/ddp_run.pt", "ddp_run.py", ["{new}"]),
    ("data/hf_models", "hf_models.py", ["{new}"]),
    ("data/histograms.json", "histograms.py", ["{new}"]),
    ("data/lenet_losses.json", "lenet_losses.py", ["{new}"]),
    ("data/models.json", "models.py", ["{new}"]),
    ("data/number_ranges.json", "number_ranges.py", ["{new}"]),
    ("data/op_dtypes.json", "op_dtypes.py", ["{new}"]),
    ("data/optim.json", "optim.py", ["{new}"]),
    ("data/print.json", "print.py", ["{new}"]),
    ("data/rsample_gradients.json", "rsample_gradients.py", ["{new}"]),
    ("data/schedulers.json", "schedulers.py", ["{new}"]),
    ("data/whole_modules.pt", "whole_modules.py", ["make", "{new}"]),
]
# Data without tolerances: differences up to this, absolute and relative, are the rounding of another processor.
# The tests that read it allow at least as much.
ROUNDING = {
    "data/continued_run.pt": 1e-6, "data/ddp_run.pt": 1e-5, "data/hf_models": 1e-5, "data/lenet_losses.json": 1e-5,
    "data/models.json": 1e-4, "data/rsample_gradients.json": 1e-9, "data/whole_modules.pt": 1e-5,
}
WRITTEN = {  # files that nothing computes
    "data/genesis.txt": "the first chapters of the King James Bible, a text on which examples train",
    "data/op_dtype_differences.json": "the intended differences to op_dtypes.json",
}


def print_versions():
    """Prints the installed versions that are not those of requirements.txt."""
    for line in (HERE / "requirements.txt").read_text().splitlines():
        name, _, version = line.partition("==")
        if version and installed(name) != version:
            print(f"{name}: {installed(name)}, the committed data is of {version}")


def generate(path, script, arguments, out):
    """Runs a generator. Returns its messages if it fails, otherwise an empty string."""
    new = out / path
    (new if path == "data/training" else new.parent).mkdir(parents=True, exist_ok=True)
    places = {"old": str(TESTS / path), "new": str(new)}
    command = [sys.executable, str(HERE / script), *(argument.format(**places) for argument in arguments)]
    run = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False,
                         env={**os.environ, "OMP_NUM_THREADS": "1"})
    return "" if run.returncode == 0 else run.stderr.strip()[-2000:] or f"ended with {run.returncode}"


def without_generator():
    """Committed data that neither DATA nor WRITTEN lists."""
    known = tuple(path for path, *_ in DATA) + tuple(WRITTEN)
    files = (str(p.relative_to(TESTS)) for folder in ("oracle_cases", "data") for p in (TESTS / folder).rglob("*"))
    return sorted(name for name in files if (TESTS / name).is_file() and not name.startswith(known))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    selected = [row for row in DATA if not arguments.names or row[0].startswith(tuple(arguments.names))]
    for name in arguments.names:
        if not any(path.startswith(name) for path, *_ in selected):
            parser.error(f"unknown data '{name}', expected one of {', '.join(dict.fromkeys(path for path, *_ in DATA))}")
    print_versions()
    with tempfile.TemporaryDirectory() as temporary:
        out, wrong = (arguments.keep or pathlib.Path(temporary)).resolve(), []
        for path, script, rest in selected:
            begin, error = time.time(), generate(path, script, rest, out)
            print(f"{path}: {script} {'FAILED' if error else 'ran'} in {time.time() - begin:.0f} s", flush=True)
            if error:
                print(error)
                wrong.append(path)
        differing = beyond = 0
        for path in dict.fromkeys(path for path, *_ in selected):
            if (out / path).exists():
                counts = compare_paths(str(TESTS / path), str(out / path), ROUNDING.get(path))
                differing, beyond = differing + counts[0], beyond + counts[1]
    for name in without_generator():
        print(f"{name}: no generator")
        wrong.append(name)
    print(f"{differing} files differ, {beyond} of them beyond their tolerances")
    sys.exit(bool(wrong or beyond))


if __name__ == "__main__":
    main()
