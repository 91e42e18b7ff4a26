"""Family ddp: training with DistributedDataParallel, samplers, buckets, SyncBatchNorm, metrics, errors."""

import contextlib

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler

from .models import SyncBatchNorm, build, loss_of, made, optimizer_of


def wrapped(c, model):
    net = DistributedDataParallel(model, **c.get("ddp", {}))
    if c.get("hook"):
        net.register_comm_hook(None, getattr(default_hooks, c["hook"]))
    return net


def state(model):
    return {k: v.clone() for k, v in model.state_dict().items()}


def gradients(model):
    return {k: None if p.grad is None else p.grad.clone() for k, p in model.named_parameters()}


def set_use(model, use):
    for m in model.modules():
        if hasattr(m, "use"):
            m.use = use


def pass_through(net, loss, micro):
    """Forward and backward of one micro-batch. Returns the loss, the sum over its pairs."""
    set_use(net, micro.get("use", [0]))
    total = sum(loss(net(x), y) for x, y in micro["pairs"])
    total.backward()
    return float(total.detach())


def scheduler_of(c, opt):
    spec = c.get("scheduler")
    return getattr(torch.optim.lr_scheduler, spec["name"])(opt, **spec.get("args", {})) if spec else None


def kind_train(c):
    model = made(c)
    net = wrapped(c, model)
    out = {"keys": list(net.state_dict()), "initial": state(model), "steps": []}
    zero = c.get("zero", False)
    opt = optimizer_of(
        c,
        model.named_parameters(),
        (lambda params, cls, args: ZeroRedundancyOptimizer(params, cls, **args)) if zero else None,
    )
    sched, loss, clip, join = scheduler_of(c, opt), loss_of(c), c.get("clip_grad_norm"), c.get("join")
    with net.join(**join) if join is not None else contextlib.nullcontext():
        for step in c["batches"]:
            opt.zero_grad(set_to_none=c.get("zero_grad") != "zeros")
            row = {"losses": []}
            for micro in step:
                with contextlib.nullcontext() if micro.get("sync", True) else net.no_sync():
                    row["losses"].append(pass_through(net, loss, micro))
                if not micro.get("sync", True) and c.get("show_local"):
                    row["local"] = gradients(model)
            row["grads"] = gradients(model)
            if clip is not None:
                row["norm"] = float(nn.utils.clip_grad_norm_(model.parameters(), clip))
            opt.step()
            if sched:
                sched.step()
            row["state"] = state(model)
            out["steps"].append(row)
    if join is not None:
        out["final"] = state(model)  # the model of a rank that joined last, which all ranks receive
    return out


def kind_sampled(c):
    """Training on a dataset in the order of a DistributedSampler."""
    model = made(c)
    net = wrapped(c, model)
    opt, loss = optimizer_of(c, model.named_parameters()), loss_of(c)
    x, y, size = c["data_x"], c["data_y"], c["batch_size"]
    sampler = DistributedSampler(range(len(x)), num_replicas=c.world, rank=c.rank, **c["sampler"])
    out = {"length": len(sampler), "epochs": []}
    for epoch in c["epochs"]:
        if epoch is not None:
            sampler.set_epoch(epoch)
        order, losses = list(sampler), []
        for k in range(0, len(order), size):
            part = order[k : k + size]
            opt.zero_grad()
            losses.append(pass_through(net, loss, {"pairs": [(x[part], y[part])]}))
            opt.step()
        mean = torch.tensor([sum(losses), float(len(losses))], dtype=torch.float64)
        dist.all_reduce(mean)
        out["epochs"].append(
            {
                "order": order,
                "losses": losses,
                "mean_loss": float(mean[0] / mean[1]),
                "params": {k: p.detach().clone() for k, p in model.named_parameters()},
            }
        )
    return out


def kind_buckets(c):
    """The parameters of each bucket and the order of reduction, before and after buckets are rebuilt."""
    torch.manual_seed(c["seed"])
    model = build(c["model"])
    for name in c.get("frozen", []):
        model.get_parameter(name).requires_grad_(False)
    names = {p: n for n, p in model.named_parameters()}
    net = DistributedDataParallel(model, **c["ddp"])
    seen = []

    def hook(_, bucket):
        seen.append(
            [
                bucket.index(),
                [names[p] for p in bucket.parameters()],
                bucket.buffer().numel() * bucket.buffer().element_size(),
            ]
        )
        return default_hooks.allreduce_hook(None, bucket)

    net.register_comm_hook(None, hook)
    out = []
    for use in c["use"]:
        seen.clear()
        set_use(net, use)
        net(c["x"]).float().sum().backward()
        net.zero_grad()
        out.append([list(s) for s in sorted(seen)])
    return {"passes": out}


def kind_sync_batch_norm(c):
    """One layer over all ranks: outputs, gradients of the rows of this rank, its share of those of weight and bias."""
    layer = SyncBatchNorm(**c["args"])
    layer.load_state_dict(c["before"])
    if c.double or c["dtype"] == torch.float64:
        layer.double()
    outs = []
    for x, g in zip(c["inputs"], c["grad_outputs"]):
        x.requires_grad_()
        layer.zero_grad()
        y = layer(x)
        (y * g).sum().backward()
        outs.append(
            {
                "out": y.detach(),
                "grad_input": x.grad,
                "grads": {k: p.grad.clone() for k, p in layer.named_parameters()},
                "state": state(layer),
            }
        )
    return {"passes": outs}


def kind_metric(c):
    """A metric that gathers its states from all ranks when it computes."""
    import torchmetrics

    m = getattr(torchmetrics, c["name"])(**c["args"])
    out = []
    for batch in c["batches"]:
        m.update(*batch)
        v = m.compute()
        out.append(v.tolist() if isinstance(v, torch.Tensor) and v.dim() == 0 else v)
    return {"computed": out, "tensor_states": sorted(k for k in m._defaults)}


def kind_clip(c):
    """clip_grad_norm_ after backward. Gradients are equal on all ranks, so the norm does not need communication."""
    model = made(c)
    net, loss = wrapped(c, model), loss_of(c)
    for micro in c["batches"][0]:
        pass_through(net, loss, micro)
    norm = nn.utils.clip_grad_norm_(net.parameters(), c["max_norm"], norm_type=float(c["norm_type"]))
    return {"norm": float(norm), "grads": gradients(model)}


def kind_error(c):
    """Construction or training must fail."""

    def run():
        model = made(c)
        net = wrapped(c, model)
        loss = loss_of(c)
        for step in c["batches"]:
            for micro in step:
                pass_through(net, loss, micro)

    if "batches" not in c:
        return c.attempt(lambda: wrapped(c, made(c)))
    return c.attempt(run)


def kind_join_error(c):
    """join(throw_on_early_termination=True) with unequal numbers of batches."""
    model = made(c)
    net, loss = wrapped(c, model), loss_of(c)

    def run():
        with net.join(**c["join"]):
            for step in c["batches"]:
                for micro in step:
                    pass_through(net, loss, micro)

    return c.attempt(run)
