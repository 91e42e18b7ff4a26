"""Writes tests/data/optim.json: steps of PyTorch's SGD for given parameters and gradients.

    python scripts/golden/optim.py tests/data/optim.json

Each case: dtype, options, the elements of one parameter before the first and after every step, the gradient of
every step (null: none), the momentum buffer at the end (null: none), and the optimizer's printed form. Numbers
are written with all digits, so that they are read back exactly.
"""
import json
import sys

import torch

STEPS, SIZE = 4, 19
OPTIONS = [
    {"lr": 0.1},
    {"lr": 0.1, "weight_decay": 0.3},
    {"lr": 0.05, "momentum": 0.9},
    {"lr": 0.05, "momentum": 0.9, "dampening": 0.25, "weight_decay": 0.01},
    {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    {"lr": 0.1, "momentum": 0.5, "maximize": True, "weight_decay": 0.2},
]
DTYPES = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def numbers(t):
    return t.detach().double().tolist()


def case(dtype, options):
    p = torch.randn(SIZE, dtype=torch.float64).to(DTYPES[dtype]).requires_grad_()
    opt = torch.optim.SGD([p], **options)
    row = {"dtype": dtype, "options": options, "params": [numbers(p)], "grads": [], "repr": repr(opt)}
    for step in range(STEPS):
        p.grad = None if step == 1 else torch.randn(SIZE, dtype=torch.float64).to(DTYPES[dtype])
        row["grads"].append(None if p.grad is None else numbers(p.grad))
        opt.step()
        row["params"].append(numbers(p))
    buffer = opt.state[p].get("momentum_buffer") if opt.state else None
    row["buffer"] = None if buffer is None else numbers(buffer)
    return row


def main():
    torch.manual_seed(1)
    cases = [case(dtype, options) for dtype in DTYPES for options in OPTIONS]
    with open(sys.argv[1], "w") as f:
        f.write('{"torch": "%s", "cases": [\n' % torch.__version__.split("+")[0])
        f.write(",\n".join(json.dumps(c) for c in cases) + "\n]}\n")


main()
