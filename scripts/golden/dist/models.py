"""Models, losses and optimizers of distributed cases from their JSON. SyncBatchNorm is computed by its formula."""

import math
from collections import OrderedDict

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class Glue(nn.Module):
    """A layer without parameters that computes f."""

    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


class Residual(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return x + self.body(x)


class Switch(nn.Module):
    """Applies the children with the indices `use`, which are set before each forward pass."""

    def __init__(self, children):
        super().__init__()
        for key, child in children:
            self.add_module(key, child)
        self.use = [0]

    def forward(self, x):
        kids = list(self.children())
        for k in self.use:
            x = kids[k](x)
        return x


class Attention(nn.Module):
    """Self-attention of (B, T, dim) with layers q, k, v, o. The number of heads follows from the width of q."""

    def __init__(self, dim, heads, bias=True, causal=False):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim, bias=bias) for _ in range(4))
        self.width, self.causal = dim // heads, causal

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (-1, self.width)).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(-1, -2) / math.sqrt(self.width)
        if self.causal:
            s = s.masked_fill(torch.ones(s.shape[-2:], dtype=torch.bool).triu(1), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class SyncBatchNorm(nn.modules.batchnorm._BatchNorm):
    """Batch norm over the elements of all ranks (that of PyTorch needs an accelerator)."""

    def _check_input_dim(self, x):
        pass

    def forward(self, x):
        if not self.training:
            return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0, self.eps)
        factor = self.momentum
        if self.track_running_stats:
            self.num_batches_tracked.add_(1)
            factor = 1.0 / float(self.num_batches_tracked) if factor is None else factor
        y, mean, var, count = SyncNorm.apply(x, self.weight, self.bias, self.eps)
        if self.track_running_stats:
            with torch.no_grad():
                self.running_mean.lerp_(mean.to(self.running_mean.dtype), factor)
                self.running_var.lerp_((var * count / (count - 1)).to(self.running_var.dtype), factor)
        return y


class SyncNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        dims = [0, *range(2, x.dim())]
        n = x.numel() // x.shape[1]
        mean = x.mean(dims) if n else x.new_zeros(x.shape[1])
        square = (x - view(mean, x)).square().sum(dims)  # about the mean of this rank
        mine = torch.cat([mean, square, mean.new_tensor([n])])
        every = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
        dist.all_gather(every, mine)
        means, squares, counts = torch.stack(every).split([len(mean), len(mean), 1], 1)
        total = counts.sum()
        mean = (means * counts).sum(0) / total
        var = (squares.sum(0) + (counts * (means - mean).square()).sum(0)) / total
        inv = (var + eps).rsqrt()
        ctx.save_for_backward(x, weight, mean, inv, total)
        y = (x - view(mean, x)) * view(inv, x)
        if weight is not None:
            y = y * view(weight, x) + view(bias, x)
        ctx.mark_non_differentiable(mean, var, total)
        return y, mean, var, total

    @staticmethod
    def backward(ctx, g, *_):
        x, weight, mean, inv, total = ctx.saved_tensors
        dims = [0, *range(2, x.dim())]
        centered = x - view(mean, x)
        dy, dyx = g.sum(dims), (g * centered).sum(dims)
        sums = torch.cat([dy, dyx])
        dist.all_reduce(sums)
        a, b = sums.chunk(2)
        w = inv if weight is None else inv * weight
        gx = (g - view(a / total, x) - centered * view(inv * inv * b / total, x)) * view(w, x)
        return gx, None if weight is None else dyx * inv, None if weight is None else dy, None


def view(v, x):
    return v.view(1, -1, *[1] * (x.dim() - 2))


def synchronized(model):
    """Replaces every batch norm of a model."""
    if isinstance(model, nn.modules.batchnorm._BatchNorm):
        new = SyncBatchNorm(model.num_features, model.eps, model.momentum, model.affine, model.track_running_stats)
        new.load_state_dict(model.state_dict())
        return new
    for name, child in model.named_children():
        setattr(model, name, synchronized(child))
    return model


GLUE = {
    "TupleItem": lambda index: Glue(lambda x: x[index]),
    "Select": lambda dim, index: Glue(lambda x: x.select(dim, index)),
    "Mean": lambda dim: Glue(lambda x: x.mean(dim)),
    "View": lambda shape: Glue(lambda x: x.view(shape)),
    "Cast": lambda dtype: Glue(lambda x: x.to(torch.float64 if DOUBLE and dtype == torch.float32 else dtype)),
    "Attention": Attention,
}
DOUBLE = False  # whether floats are float64, to measure rounding


def build(m):
    assert set(m) <= {"name", "args", "children", "key"}, m
    kids = [(c.get("key", str(i)), build(c)) for i, c in enumerate(m.get("children", []))]
    args = {k: build(v) if isinstance(v, dict) else v for k, v in m.get("args", {}).items()}
    name = m["name"]
    if name == "Sequential":
        return nn.Sequential(OrderedDict(kids))
    if name == "Residual":
        return Residual(kids[0][1])
    if name == "Switch":
        return Switch(kids)
    if name in ("TransformerEncoder",):
        return nn.TransformerEncoder(kids[0][1], **args)
    return GLUE[name](**args) if name in GLUE else getattr(nn, name)(**args)


def assign(model, path, parameter):
    *way, name = path.split(".")
    setattr(model.get_submodule(".".join(way)), name, parameter)


def made(c):
    """The model of this rank before it is wrapped."""
    torch.manual_seed(c["seed"])
    model = build(c["model"])
    for to, source in c.get("ties", []):
        assign(model, to, model.get_parameter(source))
    if c.get("dtype") == torch.float64 or c.double:
        model.double()
    for name in c.get("frozen", []):
        model.get_parameter(name).requires_grad_(False)
    return synchronized(model) if c.get("sync_batch_norm") else model


def loss_of(c):
    """The loss of one pair (output, target)."""
    spec = c["loss"]
    if spec["name"] == "Dot":
        return lambda out, y: (out * y).sum()
    return getattr(nn, spec["name"])(**spec.get("args", {}))


def optimizer_of(c, named, wrap=None):
    """An optimizer over named parameters; `groups` are lists of names with options."""
    spec = c["optimizer"]
    cls, args = getattr(torch.optim, spec["name"]), spec.get("args", {})
    named = dict(named)
    groups = c.get("groups")
    params = (
        [dict(g, params=[named[n] for n in g["params"]]) for g in groups]
        if groups
        else [p for p in named.values() if p.requires_grad]
    )
    return wrap(params, cls, args) if wrap else cls(params, **args)
