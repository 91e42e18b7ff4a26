"""Family zero: owners of parameters, steps and state dicts of ZeroRedundancyOptimizer."""

import torch
from torch.distributed.optim import ZeroRedundancyOptimizer

from kit import values as V

from .ddp import kind_train  # noqa: F401  (the same kind with "zero": true)


def optimizer(c, params):
    groups, cls = c.get("groups"), getattr(torch.optim, c["optimizer"])
    what = [dict(g, params=[params[i] for i in g["params"]]) for g in groups] if groups is not None else params
    return ZeroRedundancyOptimizer(what, cls, parameters_as_bucket_view=c.get("bucket_view", False), **c["args"])


def owners(opt, params):
    """The rank that owns each parameter, and the indices of the parameters of each rank and group in their order."""
    index = {p: i for i, p in enumerate(params)}
    parts = opt._partition_parameters()
    rank_of = {i: r for r, groups in enumerate(parts) for g in groups for i in (index[p] for p in g["params"])}
    return {
        "owner": [rank_of[i] for i in sorted(rank_of)],
        "order": [[[index[p] for p in g["params"]] for g in groups] for groups in parts],
    }


def as_data(sd):
    """A state dict with integer keys as a value of the format."""
    return {
        "state": V.Data((k, dict(v)) for k, v in sd["state"].items()),
        "param_groups": [
            dict((k, list(v) if isinstance(v, tuple) else v) for k, v in g.items()) for g in sd["param_groups"]
        ],
    }


def kind_partition(c):
    params = [torch.nn.Parameter(torch.zeros(s)) for s in c["shapes"]]
    opt = optimizer(c, params)
    out = owners(opt, params)
    if "added" in c:
        opt.add_param_group({"params": [params[i] for i in c["added"]]})
        out["after"] = owners(opt, params)
    return out


def kind_steps(c):
    """Steps with given gradients, equal on all ranks."""
    params = [torch.nn.Parameter(p) for p in c["params"]]
    grads, skip = c["grads"], c.get("skip", {})
    opt = optimizer(c, params)
    out = owners(opt, params)
    if "load" in c:
        sd = c["load"]
        opt.load_state_dict(
            {
                "state": {k: dict(v) for k, v in sd["state"].items()},
                "param_groups": [dict(g) for g in sd["param_groups"]],
            }
        )
    out["params"] = [[] for _ in params]
    for t in range(c["first"], c["last"]):
        for i, (p, g) in enumerate(zip(params, grads)):
            p.grad = None if t in skip.get(str(i), []) else g[t].clone()
        if "lr" in c:
            for group in opt.param_groups:
                group["lr"] = c["lr"][t]
        opt.step()
        for i, p in enumerate(params):
            out["params"][i].append(p.detach().clone())
    out["params"] = [torch.stack(p) for p in out["params"]]
    index = {p: i for i, p in enumerate(params)}
    out["local_state"] = sorted(index[p] for p in opt.optim.state)
    opt.consolidate_state_dict(to=c["to"])
    out["state_dict"] = as_data(opt.state_dict()) if c.rank == c["to"] else None
    return out


def kind_error(c):
    params, attempt = [torch.nn.Parameter(torch.zeros(s)) for s in c["shapes"]], c["attempt"]

    def run():
        opt = optimizer(c, params)
        if attempt == "state_dict":
            opt.state_dict()
        elif attempt == "consolidated elsewhere":
            opt.consolidate_state_dict(to=0)
            opt.state_dict()
        elif attempt == "same parameter again":
            opt.add_param_group({"params": [params[0]]})

    return c.attempt(run)
