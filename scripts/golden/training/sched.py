"""Family sched: learning rates, momenta and state dicts of schedulers, step by step."""
import torch
from torch import nn
from torch.optim import lr_scheduler, swa_utils

from training.case import as_json, describe, number


def make_scheduler(optimizer, spec):
    arguments = dict(spec.get("args", {}))
    if spec["name"] in ("LambdaLR", "MultiplicativeLR"):
        table = arguments.pop("table")  # factors by epoch, per group if the table is nested
        rows = [(lambda epoch, row=row: row[epoch]) for row in table] if isinstance(table[0], list) \
            else lambda epoch: table[epoch]
        return getattr(lr_scheduler, spec["name"])(optimizer, rows, **arguments)
    if "schedulers" in arguments:
        parts = [make_scheduler(optimizer, part) for part in arguments["schedulers"]]
        if spec["name"] == "ChainedScheduler":
            return lr_scheduler.ChainedScheduler(parts)
        return lr_scheduler.SequentialLR(optimizer, parts, arguments["milestones"])
    return getattr(swa_utils if spec["name"] == "SWALR" else lr_scheduler, spec["name"])(optimizer, **arguments)


def make_optimizer(kind, rates, initial=()):
    groups = [{"params": [nn.Parameter(torch.ones(1))], "lr": rate} for rate in rates]
    for group, rate in zip(groups, initial):
        group["initial_lr"] = rate
    return torch.optim.Adam(groups) if kind == "Adam" else torch.optim.SGD(groups, momentum=0.9)


def rates_of(optimizer):
    return [float(group["lr"]) for group in optimizer.param_groups]


def momenta_of(optimizer):
    return [group["betas"][0] if "betas" in group else group["momentum"] for group in optimizer.param_groups]


def without_functions(state):
    """A state dict without function objects, which the format does not describe."""
    def plain(value):
        if isinstance(value, list):
            return [without_functions(v) if isinstance(v, dict) else None if callable(v) else v for v in value]
        return value
    return {key: plain(value) for key, value in state.items() if not callable(value)}


def described(scheduler):
    return describe(without_functions(scheduler.state_dict()), None)


def kind_schedule(c):
    steps, saved_at = len(c["lr"]) - 1, c["state_at"]
    optimizer = make_optimizer(c["optimizer"], c["lrs"])
    scheduler = make_scheduler(optimizer, c["scheduler"])
    rates, momenta, last, resumed = [], [], [], []
    for t in range(steps + 1):
        if t:
            optimizer.step()
            scheduler.step()
        rates.append(rates_of(optimizer))
        momenta.append(momenta_of(optimizer))
        last.append([float(rate) for rate in scheduler.get_last_lr()])
        if t == saved_at:
            c["state_dict"] = described(scheduler)
            again = make_optimizer(c["optimizer"], c["lrs"])
            resumed_scheduler = make_scheduler(again, c["scheduler"])
            again.load_state_dict(optimizer.state_dict())
            resumed_scheduler.load_state_dict(scheduler.state_dict())
    for _ in range(saved_at, steps):
        again.step()
        resumed_scheduler.step()
        resumed.append(rates_of(again))
    c["lr"], c["momentum"], c["lr_last"], c["resumed_lr"] = rates, momenta, last, resumed
    c["resumed_from_state_equal"] = resumed == rates[saved_at + 1:]


def kind_fractional(c):
    optimizer = make_optimizer("SGD", c["lrs"])
    scheduler, rates = make_scheduler(optimizer, c["scheduler"]), []
    for epoch in c["epochs"]:
        scheduler.step(epoch)
        rates += rates_of(optimizer)
    c["lr"] = rates


def kind_last_epoch(c):
    optimizer = make_optimizer("SGD", c["lrs"], c["initial_lr"])
    arguments = dict(c["scheduler"]["args"], last_epoch=c["last_epoch"])
    scheduler = make_scheduler(optimizer, {"name": c["scheduler"]["name"], "args": arguments})
    rates = [rates_of(optimizer)]
    for _ in c["lr"][1:]:
        optimizer.step()
        scheduler.step()
        rates.append(rates_of(optimizer))
    c["lr"] = rates


def kind_plateau(c):
    optimizer = make_optimizer("SGD", c["lrs"])
    scheduler = make_scheduler(optimizer, c["scheduler"])
    rates = [rates_of(optimizer)]
    for t, metric in enumerate(c["metrics"], 1):
        optimizer.step()
        scheduler.step(number(metric))
        rates.append(rates_of(optimizer))
        if t == c["state_at"]:
            c["state_dict"] = described(scheduler)
    c["lr"], c["num_bad_epochs"], c["best"] = rates, scheduler.num_bad_epochs, as_json(scheduler.best)
