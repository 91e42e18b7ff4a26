"""Adds golden cases from drafts: python scripts/golden/add_case.py FORMAT FAMILY.json DRAFT.json

FORMAT is layers, kit, dist or training. DRAFT.json is a list of cases without expected values. A reference to an input
tensor, {"t": role}, says how to draw it: "draw": ["normal", SHAPE], ["uniform", LOW, HIGH, SHAPE], ["integers", LOW,
HIGH, SHAPE] or ["values", LIST], with an optional "dtype". The numbers follow from the id of the case and the role.
PyTorch computes everything else, and the family is written with the new cases at its end. docs/oracle.md describes the
fields of each format.
"""
import importlib
import json
import pathlib
import sys
import zlib

import torch

from case_file import CaseFile, references


def draw(how, dtype, seed):
    """The tensor of a `draw` field. Floats are float32 and integers int64 unless a dtype is given."""
    kind, *bounds, shape = how
    generator = torch.Generator().manual_seed(seed)
    if kind == "values":
        tensor = torch.tensor(shape)
    elif kind == "normal":
        tensor = torch.randn(shape, generator=generator)
    elif kind == "uniform":
        low, high = bounds
        tensor = torch.rand(shape, generator=generator) * (high - low) + low
    elif kind == "integers":
        tensor = torch.randint(*bounds, shape, generator=generator)
    else:
        raise ValueError(f"draw: expected normal, uniform, integers or values, got {kind!r}")
    return tensor.to(getattr(torch, dtype)) if dtype else tensor


def draw_inputs(case, file):
    for reference in references(case):
        if "draw" in reference:
            key = f"{case['id']}/{reference['t']}"
            how, dtype = reference.pop("draw"), reference.pop("dtype", None)
            file.tensors[key] = draw(how, dtype, zlib.crc32(key.encode()))


def main():
    kind, path, draft = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    torch.set_num_threads(1)
    file, module = CaseFile.read(path), importlib.import_module(f"{kind}.recompute")
    for case in json.loads(draft.read_text()):
        if any(case["id"] == old["id"] for old in file.cases):
            sys.exit(f"{path.name} has a case {case['id']} already")
        draw_inputs(case, file)
        file.cases.append(case)
        file.replace(case, *module.complete(case, file, path.parent))
        print(f"{case['id']}: added")
    module.finish()
    file.write(path.parent)


if __name__ == "__main__":
    main()
