"""Family tensor_parallel: layers and training that are divided by parallelize_module, losses of sharded classes."""

import torch.nn as nn
import torch.nn.functional as F
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

from .models import build, loss_of, made, optimizer_of

STYLES = {
    "ColwiseParallel": ColwiseParallel,
    "RowwiseParallel": RowwiseParallel,
    "SequenceParallel": SequenceParallel,
    "PrepareModuleInput": PrepareModuleInput,
}


def layout(v):
    """The placement of "replicate" or ["shard", dim]."""
    return Replicate() if v == "replicate" else Shard(v[1])


def named(p):
    return "replicate" if p.is_replicate() else ["shard", p.dim] if p.is_shard() else "partial"


def plain(t):
    """The local tensor of the output of a module."""
    if isinstance(t, DTensor):
        t = t.to_local()
    return t.wait() if isinstance(t, AsyncCollectiveTensor) else t


def whole(t):
    t = t.full_tensor() if isinstance(t, DTensor) else t
    return (t.wait() if isinstance(t, AsyncCollectiveTensor) else t).detach().clone().contiguous()


def parallel(c, model, mesh):
    plan = {}
    for path, style, options in c["plan"]:
        plan[path] = STYLES[style](**{k: layout(v) if k.endswith("layouts") else v for k, v in options.items()})
    return parallelize_module(model, mesh, plan)


def placements(model):
    """The placement and the local shape of each parameter."""
    return {
        n: {"placement": named(p.placements[0]), "local": list(p.to_local().shape)}
        if isinstance(p, DTensor)
        else {"placement": "replicate", "local": list(p.shape)}
        for n, p in model.named_parameters()
    }


def kind_layer(c):
    """Output and gradient of the input on this rank, gathered gradients of parameters."""
    mesh = init_device_mesh("cpu", (c.world,))
    model = parallel(c, made(c), mesh)
    out = {"parameters": placements(model)}
    x = c["x"]
    if x.is_floating_point():
        x.requires_grad_()
    y = model(x)
    out["out"] = plain(y).detach().clone().contiguous()
    y = y.to_local() if isinstance(y, DTensor) else y
    (y * c["grad_output"]).sum().backward()
    out["grad_input"] = None if x.grad is None else plain(x.grad).clone().contiguous()
    out["grads"] = {n: None if p.grad is None else whole(p.grad) for n, p in model.named_parameters()}
    return out


def kind_train(c):
    """Training with one batch for all ranks. With loss_parallel, the output remains sharded over its last dimension."""
    mesh = init_device_mesh("cpu", (c.world,))
    model = parallel(c, made(c), mesh)
    opt, loss, split = optimizer_of(c, model.named_parameters()), loss_of(c), c.get("loss_parallel", False)
    out = {
        "parameters": placements(model),
        "initial": {k: whole(v) for k, v in model.state_dict().items()},
        "steps": [],
    }
    for step in c["batches"]:
        opt.zero_grad()
        ((x, y),) = step[0]["pairs"]
        o = model(x)
        if split:
            with loss_parallel():
                total = loss(o, y)
                total.backward()
        else:
            total = loss(o, y)
            total.backward()
        row = {
            "losses": [float(whole(total))],
            "grads": {n: None if p.grad is None else whole(p.grad) for n, p in model.named_parameters()},
        }
        if "clip_grad_norm" in c:
            row["norm"] = float(whole(nn.utils.clip_grad_norm_(model.parameters(), c["clip_grad_norm"])))
        opt.step()
        row["state"] = {k: whole(v) for k, v in model.state_dict().items()}
        out["steps"].append(row)
    out["local"] = {k: plain(v).detach().clone().contiguous() for k, v in model.state_dict().items()}
    return out


def kind_cross_entropy(c):
    """Cross entropy of logits that are sharded over the classes, and the gradient of those of this rank."""
    mesh = init_device_mesh("cpu", (c.world,))
    logits = c["logits"].requires_grad_()
    sharded = distribute_tensor(logits, mesh, [Shard(1)])
    sharded = sharded.detach().requires_grad_()
    with loss_parallel():
        loss = F.cross_entropy(sharded, c["target"], **c["args"])
        if loss.dim():
            loss.backward(DTensor.from_local(c["weights"], mesh, [Replicate()]))
        else:
            loss.backward()
    return {"loss": whole(loss), "grad": plain(sharded.grad).clone().contiguous()}


def kind_shards(c):
    """The part of each tensor that this rank has if dimension `dim` is sharded."""
    mesh = init_device_mesh("cpu", (c.world,))
    out = []
    for t, dim in zip(c["tensors_in"], c["dims"]):
        out.append(plain(distribute_tensor(t, mesh, [Shard(dim)])).clone().contiguous())
    return {"local": out}


def kind_error(c):
    mesh = init_device_mesh("cpu", (c.world,))

    def run():
        model = parallel(c, build(c["model"]), mesh)
        plain(model(c["x"]))

    return c.attempt(run)
