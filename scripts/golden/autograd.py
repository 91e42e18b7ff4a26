"""Runs the programs of tests/data/autograd.json again: python scripts/golden/autograd.py COMMITTED OUT

A case is a program of PyTorch. `T(values, grad)` makes a float32 tensor, `show(name, value)` records a value, and
`error(name, function)` the exception that a function raises. A new case needs the id, kind, title and program only.
"""
import json
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn

from case_file import installed
from training.case import NAMES, as_json

warnings.simplefilter("ignore")


def run(program):
    results = []

    def show(name, value):
        if isinstance(value, torch.Tensor):
            results.append({"show": name, "tensor": as_json(value), "dtype": NAMES[value.dtype],
                            "shape": list(value.shape)})
        else:
            results.append({"show": name, "value": as_json(value)})

    def error(name, function):
        try:
            function()
            results.append({"error": name, "type": None})
        except Exception as exception:
            results.append({"error": name, "type": type(exception).__name__, "text": str(exception)})

    def T(values, grad=False):
        return torch.tensor(values, dtype=torch.float32, requires_grad=grad)

    torch.manual_seed(0)
    exec("\n".join(program), {"torch": torch, "nn": nn, "F": F, "T": T, "show": show, "error": error,
                              "warnings": warnings})
    return results


def main():
    committed, out = sys.argv[1:]
    with open(committed) as f:
        document = json.load(f)
    torch.set_num_threads(1)
    document["torch"] = installed("torch")
    document["cases"] = [{**case, "results": run(case["program"]), "tensors": []} for case in document["cases"]]
    with open(out, "w") as f:
        json.dump(document, f, separators=(",", ":"), allow_nan=False)
        f.write("\n")


main()
