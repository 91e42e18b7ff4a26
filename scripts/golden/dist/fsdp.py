"""Family fsdp: shards, training and state dicts of fully_shard."""

import torch
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

from .ddp import scheduler_of
from .models import loss_of, made, optimizer_of

FULL = StateDictOptions(full_state_dict=True)


def whole(t):
    return t.full_tensor().clone() if isinstance(t, DTensor) else t.clone()


def piece(t):
    return t.to_local().clone() if isinstance(t, DTensor) else t.clone()


def sharded(c, model):
    shape = c.get("mesh", [c.world])
    mesh = init_device_mesh(
        "cpu", tuple(shape), mesh_dim_names=("replicate", "shard") if len(shape) == 2 else ("shard",)
    )
    for path, options in c["shard"]:
        options = dict(options)
        if "mp_policy" in options:
            options["mp_policy"] = MixedPrecisionPolicy(
                **{k: c.dtype(v) if isinstance(v, torch.dtype) else v for k, v in options["mp_policy"].items()}
            )
        fully_shard(model.get_submodule(path), mesh=mesh, **options)
    return model


def placements(model):
    return {
        n: {
            "shape": list(p.shape),
            "local": list(p.to_local().shape),
            "shard_dim": next(x.dim for x in p.placements if x.is_shard()),
        }
        for n, p in model.named_parameters()
    }


def kind_train(c):
    model = sharded(c, made(c))
    out = {"shards": placements(model), "initial": {k: whole(v) for k, v in model.state_dict().items()}, "steps": []}
    opt = optimizer_of(c, model.named_parameters())
    sched, loss, clip = scheduler_of(c, opt), loss_of(c), c.get("clip_grad_norm")
    for step in c["batches"]:
        opt.zero_grad()
        row = {"losses": []}
        for micro in step:
            model.set_requires_gradient_sync(micro.get("sync", True))
            total = sum(loss(model(x), y) for x, y in micro["pairs"])
            total.backward()
            row["losses"].append(float(total.detach()))
        row["grads"] = {k: None if p.grad is None else whole(p.grad) for k, p in model.named_parameters()}
        if clip is not None:
            row["norm"] = float(whole(nn.utils.clip_grad_norm_(model.parameters(), clip)))
        opt.step()
        if sched:
            sched.step()
        row["state"] = {k: whole(v) for k, v in model.state_dict().items()}
        out["steps"].append(row)
    out["local"] = {k: piece(v) for k, v in model.state_dict().items()}
    out["local_grads"] = {k: None if p.grad is None else piece(p.grad) for k, p in model.named_parameters()}
    if c.get("show_optimizer"):
        full = get_optimizer_state_dict(model, opt, options=FULL)
        out["optimizer"] = {
            "state": {
                k: {n: whole(t) if isinstance(t, torch.Tensor) else t for n, t in v.items()}
                for k, v in full["state"].items()
            },
            "params": [g["params"] for g in full["param_groups"]],
        }
        out["optimizer_local"] = {
            k: {n: piece(t) if isinstance(t, torch.Tensor) else t for n, t in v.items()}
            for k, v in get_optimizer_state_dict(model, opt)["state"].items()
        }
    return out


class Holder(nn.Module):
    def __init__(self, shapes):
        super().__init__()
        self.p = nn.ParameterList(nn.Parameter(torch.zeros(s)) for s in shapes)


def kind_shapes(c):
    """Shapes of the shards of parameters, and the shapes to which they are padded for communication."""
    model = Holder(c["shapes"])
    fully_shard(model, mesh=init_device_mesh("cpu", (c.world,)))
    inner = model._get_fsdp_state()._fsdp_param_group.fsdp_params
    return {
        "local": [list(p.to_local().shape) for p in model.parameters()],
        "padded": [list(p.padded_sharded_param_size) for p in inner],
    }


def kind_load(c):
    """A full state dict into a sharded model (and its optimizer)."""
    model = sharded(c, made(c))
    opt = optimizer_of(c, model.named_parameters())
    set_model_state_dict(model, c["state_dict"], options=FULL)
    out = {"local": {k: piece(v) for k, v in model.state_dict().items()}}
    if "optimizer_state" in c:
        groups = [dict(g, params=[n for n, _ in model.named_parameters()]) for g in opt.state_dict()["param_groups"]]
        set_optimizer_state_dict(model, opt, {"state": c["optimizer_state"], "param_groups": groups}, options=FULL)
        out["optimizer_local"] = {
            k: {n: piece(t) if isinstance(t, torch.Tensor) else t for n, t in v.items()}
            for k, v in get_optimizer_state_dict(model, opt)["state"].items()
        }
    full = get_model_state_dict(model, options=FULL)
    out["full"] = {k: whole(v) for k, v in full.items()}
    return out


def kind_error(c):
    def run():
        model = Holder(c["shapes"]) if "shapes" in c else made(c)
        if "shapes" in c:
            fully_shard(model, mesh=init_device_mesh("cpu", (c.world,)))
        else:
            sharded(c, model)

    return c.attempt(run)
