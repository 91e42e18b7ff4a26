"""Writes tests/data/print.json: tensors and their printed form in PyTorch.

    python scripts/golden/print.py tests/data/print.json

Each case: dtype, shape, data (the elements' bytes, little-endian, in hexadecimal; absent for meta), print
options, whether the tensor requires gradients, and the text.
"""
import json
import random
import sys

import torch

FLOATS = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
INTEGERS = {"int64": torch.int64, "int32": torch.int32, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8}
rng = random.Random(7)


def shape(limit=60):
    while True:
        sizes = [rng.choice([1, 1, 2, 3, 4, 5, 7, 12, 25]) for _ in range(rng.randint(0, 4))]
        if torch.Size(sizes).numel() <= limit:
            return sizes


def floats(sizes, dtype):
    kind = rng.randrange(8)
    x = torch.randn(sizes, dtype=torch.float64)
    if kind == 1:
        x = x * 10.0 ** rng.randint(-9, 9)
    elif kind == 2:
        x = torch.round(x * 10.0 ** rng.randint(0, 4))
    elif kind == 3:
        x = x * 10.0 ** torch.randint(-4, 5, sizes).double()
    elif kind == 4:
        x = torch.where(torch.rand(sizes) < 0.3, float("nan"), x)
    elif kind == 5:
        special = torch.tensor([float("inf"), float("-inf"), 0.0, -0.0, float("nan")], dtype=torch.float64)
        x = torch.where(torch.rand(sizes) < 0.4, special[torch.randint(0, 5, sizes)], torch.round(x * 3))
    elif kind == 6:
        x = torch.randint(-3, 4, sizes).double() * 0.5
    elif kind == 7:
        same = rng.choice([0.0, -0.0, 1.0, 0.1, 1e8, 123456789.0, 1e-4, 9.9e-5, 1e300, float("nan"), float("inf")])
        x = torch.full(sizes, same, dtype=torch.float64)
    return x.to(dtype)


def integers(sizes, dtype):
    info = torch.iinfo(dtype)
    low, high = rng.choice([(-3, 10), (info.min, info.max), (-10**6, 10**6), (0, 100)])
    low, high = max(low, info.min), min(high, info.max)
    values = [rng.randint(low, high) for _ in range(torch.Size(sizes).numel())]
    return torch.tensor(values, dtype=dtype).reshape(sizes)


def case(x, options=None, requires_grad=False):
    torch.set_printoptions(profile="default")
    if options:
        torch.set_printoptions(**options)
    x = x.requires_grad_() if requires_grad else x
    row = {"dtype": str(x.dtype)[6:], "shape": list(x.shape)}
    if x.is_meta:
        row["device"] = "meta"
    else:
        raw = x.detach().contiguous().reshape(-1).view(torch.uint8) if x.numel() else torch.zeros(0, dtype=torch.uint8)
        row["data"] = bytes(raw.tolist()).hex()
    if options:
        row["options"] = options
    if requires_grad:
        row["requires_grad"] = True
    return row | {"text": repr(x)}


def options():
    names = {"precision": [0, 1, 2, 6, 10], "threshold": [0, 5, 20, 10000], "edgeitems": [0, 1, 2, 5],
             "linewidth": [10, 40, 79, 81, 120, 200], "sci_mode": [True, False], "profile": ["short", "full", "default"]}
    return {name: rng.choice(names[name]) for name in rng.sample(sorted(names), rng.randint(1, 3))}


def cases(count):
    torch.manual_seed(7)
    for i in range(count):
        name = rng.choice(["float32"] * 4 + list(FLOATS) + list(INTEGERS) + ["bool"])
        sizes = shape()
        if name in FLOATS:
            x = floats(sizes, FLOATS[name])
        elif name == "bool":
            x = torch.rand(sizes) < 0.5
        else:
            x = integers(sizes, INTEGERS[name])
        grad = name in FLOATS and rng.random() < 0.3
        yield case(x, options() if rng.random() < 0.3 else None, grad)
    for sizes in ([0], [0, 3], [2, 0], [3, 0, 2]):
        for dtype in (torch.float32, torch.float64, torch.int64, torch.bool):
            yield case(torch.zeros(sizes, dtype=dtype))
    for sizes in ([], [3], [2, 3]):
        for dtype in (torch.float32, torch.int64, torch.bool, torch.bfloat16):
            yield case(torch.zeros(sizes, dtype=dtype, device="meta"))
    yield case(torch.zeros(2, 3, device="meta"), None, True)
    for sizes in ([1001], [3, 400], [7, 200], [40, 30], [2, 2, 300], [8, 8, 8, 2], [1000], [1, 1001], [1001, 1]):
        yield case(torch.arange(torch.Size(sizes).numel(), dtype=torch.int16).reshape(sizes))
        yield case((torch.randn(sizes) * 10).to(torch.float16), None, rng.random() < 0.5)
    # Lines of every length around the one at which a suffix moves to a separate line.
    for n in range(1, 30):
        yield case(torch.arange(n).float() + 0.5, None, True)
        yield case(torch.arange(n).to(torch.int16) % 10)


def main():
    rows = list(cases(int(sys.argv[2]) if len(sys.argv) > 2 else 330))
    with open(sys.argv[1], "w") as file:
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        file.write(f'{{"torch": "{torch.__version__.split("+")[0]}", "cases": [\n{lines}\n]}}\n')


main()
