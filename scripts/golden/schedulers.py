"""Writes tests/data/schedulers.json: rates, momenta and state dicts of PyTorch's schedulers.

    python scripts/golden/schedulers.py tests/data/schedulers.json

Each case has a name, under which tests/optim/schedule_values_test.cpp constructs the same scheduler; the rates and
momenta per group after 0, 1, ... steps; the printed state dict after the last step; the number of warnings, also if
the scheduler is stepped before the optimizer; and, if the scheduler has a closed form, the rates after `step(epoch)`.
Cases with Adam also have the parameters, in float64, whose gradient at step t is sin(1.7 t + p). Numbers are written
with all digits, so that they are read back exactly.
"""
import json
import math
import sys
import warnings

import torch
from torch.optim.lr_scheduler import *
from torch.optim.swa_utils import SWALR

STEPS, EPOCHS = 24, [0, 3, 7, 12, 5, 31]
RATES = [0.3, 0.07]

SGD_CASES = {
    "LambdaLR": lambda o: LambdaLR(o, [lambda t: 1 / (t + 1), lambda t: 0.5 + 0.01 * t]),
    "MultiplicativeLR": lambda o: MultiplicativeLR(o, lambda t: 1 - 0.01 * (t % 7)),
    "StepLR": lambda o: StepLR(o, 5, gamma=0.3),
    "MultiStepLR": lambda o: MultiStepLR(o, [3, 3, 10, 17], gamma=0.7),
    "ExponentialLR": lambda o: ExponentialLR(o, 0.93),
    "PolynomialLR": lambda o: PolynomialLR(o, total_iters=17, power=1.7),
    "ConstantLR": lambda o: ConstantLR(o, factor=0.3, total_iters=9),
    "LinearLR": lambda o: LinearLR(o, start_factor=0.1, end_factor=0.8, total_iters=13),
    "CosineAnnealingLR": lambda o: CosineAnnealingLR(o, 7, eta_min=0.01),
    "CosineAnnealingWarmRestarts": lambda o: CosineAnnealingWarmRestarts(o, 3, T_mult=2, eta_min=0.01),
    "CyclicLR": lambda o: CyclicLR(o, [0.01, 0.02], 0.3, step_size_up=4, step_size_down=3),
    "CyclicLR triangular2": lambda o: CyclicLR(o, 0.01, 0.3, step_size_up=3, mode="triangular2", base_momentum=0.7),
    "CyclicLR exp_range": lambda o: CyclicLR(o, 0.01, 0.3, step_size_up=5, mode="exp_range", gamma=0.97,
                                             cycle_momentum=False),
    "CyclicLR scale_fn": lambda o: CyclicLR(o, 0.01, 0.3, step_size_up=3, scale_fn=lambda x: 1 / (1 + x),
                                            scale_mode="iterations"),
    "OneCycleLR": lambda o: OneCycleLR(o, [0.5, 0.9], total_steps=29),
    "OneCycleLR linear": lambda o: OneCycleLR(o, 0.5, epochs=5, steps_per_epoch=6, pct_start=0.4,
                                              anneal_strategy="linear", three_phase=True, div_factor=10.0),
    "SequentialLR": lambda o: SequentialLR(
        o, [LinearLR(o, 0.1, total_iters=4), ExponentialLR(o, 0.9), CosineAnnealingLR(o, 6)], [4, 11]),
    "ChainedScheduler": lambda o: ChainedScheduler([ConstantLR(o, 0.1, total_iters=4), CosineAnnealingLR(o, 9)]),
    "nested": lambda o: SequentialLR(
        o, [ChainedScheduler([LinearLR(o, 0.25, total_iters=6), StepLR(o, 3, 0.5)]),
            CosineAnnealingWarmRestarts(o, 4)], [8]),
    "SWALR": lambda o: SWALR(o, [0.05, 0.01], anneal_epochs=9),
    "SWALR linear": lambda o: SWALR(o, 0.05, anneal_epochs=4, anneal_strategy="linear"),
    "SWALR at once": lambda o: SWALR(o, 0.05, anneal_epochs=0),
}
BETAS_CASES = {
    "CyclicLR betas": lambda o: CyclicLR(o, 0.01, 0.3, step_size_up=4, base_momentum=[0.7, 0.75]),
    "OneCycleLR betas": lambda o: OneCycleLR(o, 0.5, total_steps=25, base_momentum=0.7, max_momentum=0.97),
}


def optimizer(cls, **options):
    one = torch.ones(1, dtype=torch.float64)
    return cls([{"params": [one.clone().requires_grad_()], "lr": lr} for lr in RATES], **options)


def case(name, make, caught, cls, **options):
    caught.clear()
    opt = optimizer(cls, **options)
    scheduler = make(opt)
    row = {"name": name, "lr": [], "momentum": []}
    params = [g["params"][0] for g in opt.param_groups] if cls is torch.optim.Adam else []
    if params:
        row["params"] = []
    for step in range(STEPS + 1):
        if step:
            for p in params:
                p.grad = (1.7 * step + p.detach()).sin()
            opt.step()
            scheduler.step()
        row["lr"].append([g["lr"] for g in opt.param_groups])
        if params:
            row["params"].append([p.item() for p in params])
        row["momentum"].append([g["betas"][0] if "betas" in g else g["momentum"] for g in opt.param_groups])
    row["warnings"] = len(caught)
    caught.clear()
    other = optimizer(cls, **options)
    early = make(other)
    for _ in range(3):
        early.step()
        other.step()
    row["warnings_of_order"] = len(caught)
    row["state_dict"] = repr(scheduler.state_dict())
    if hasattr(scheduler, "_get_closed_form_lr"):
        row["closed"] = []
        for epoch in EPOCHS:
            scheduler.step(epoch)
            row["closed"].append([g["lr"] for g in opt.param_groups])
    return row


def main():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = [case(name, make, caught, torch.optim.SGD, momentum=0.9) for name, make in SGD_CASES.items()]
        rows += [case(name, make, caught, torch.optim.Adam) for name, make in BETAS_CASES.items()]
    with open(sys.argv[1], "w") as file:
        head = {"torch": torch.__version__.split("+")[0], "rates": RATES, "epochs": EPOCHS}
        cases = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        file.write(json.dumps(head)[:-1] + ',\n"cases":[\n' + cases + "\n]}\n")


main()
