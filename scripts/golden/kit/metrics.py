"""Family metrics: torchmetrics over batches, merged states, functions of boxes."""

import copy
import importlib
import os

import torch

os.environ.setdefault("TORCHMETRICS_LOG", "0")

from .case import attempt  # noqa: E402


def make(name, args):
    area, cls = name.split(".")
    return getattr(importlib.import_module("torchmetrics." + area), cls)(**args)


def plain(x):
    """The result of compute() as values of the format."""
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return x.item() if isinstance(x, torch.Tensor) and x.dim() == 0 else x


def update(m, batch):
    m.update(*copy.deepcopy(batch))


def value(m):
    return plain(m.compute())


def gathered(ranks):
    """The value of rank 0 of two, after the states of both are gathered and reduced."""
    sent = []
    ranks[1].sync(dist_sync_fn=lambda t, group=None: sent.append(t) or [t], distributed_available=lambda: True)
    others = iter(sent)
    ranks[0].dist_sync_fn = lambda t, group=None: [t, next(others)]
    ranks[0].distributed_available_fn = lambda: True
    return value(ranks[0])


def kind_metric(c):
    """The value after each batch; `parts` lists the other results."""
    make_one = lambda: make(c["name"], c["args"])  # noqa: E731
    batches, parts, out = c["batches"], c["parts"], {}
    m = make_one()
    if "untouched" in parts:
        out["untouched"] = value(m)
        m.reset()
    running = []
    for batch in batches:
        update(m, batch)
        running.append(value(m))
    out["running"] = running if "running" in parts else running[-1:]
    if "reset" in parts:
        m.reset()
        update(m, batches[-1])
        out["after_reset"] = value(m)
    if "forward" in parts:
        m = make_one()
        out["forward"] = [plain(m(*copy.deepcopy(b))) for b in batches]
    if "merged" in parts:  # two ranks: even batches, odd batches
        ranks = [make_one(), make_one()]
        for i, batch in enumerate(batches):
            update(ranks[i % 2], batch)
        out["merged"] = gathered(ranks)
    return out


def kind_error(c):
    def run():
        m = make(c["name"], c["args"])
        for batch in c["batches"]:
            update(m, batch)
        value(m)

    return attempt(run)


def kind_box_op(c):
    """A function of torchvision.ops."""
    import torchvision.ops as ops

    out = getattr(ops, c["name"])(*c["inputs"], **c["args"])
    return {"out": list(out) if isinstance(out, tuple) else out}


def kind_collection(c):
    from torchmetrics import MetricCollection

    m = MetricCollection({k: make(*v) for k, v in c["metrics"].items()}, prefix=c["prefix"])
    for batch in c["batches"]:
        m.update(*batch)
    return {"values": plain(m.compute())}
