"""Family collectives: calls, their gradients, programs of calls, rejected calls."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch.distributed.nn.functional as dnf

OPS = {
    "sum": dist.ReduceOp.SUM,
    "avg": dist.ReduceOp.AVG,
    "min": dist.ReduceOp.MIN,
    "max": dist.ReduceOp.MAX,
    "product": dist.ReduceOp.PRODUCT,
    "band": dist.ReduceOp.BAND,
    "bor": dist.ReduceOp.BOR,
    "bxor": dist.ReduceOp.BXOR,
}


def laid_out(x, layout):
    """x with the same values in another memory layout."""
    if layout == "transposed":
        return x.transpose(-1, -2).contiguous().transpose(-1, -2)
    if layout == "every-second":
        return torch.stack([x, x - x], -1).reshape(*x.shape[:-1], -1)[..., ::2]
    if layout == "offset":
        y = torch.zeros(x.numel() + 5, dtype=x.dtype)
        y[3 : 3 + x.numel()] = x.reshape(-1)
        return y[3 : 3 + x.numel()].view(x.shape)
    assert layout == "contiguous", layout
    return x


def unchanged(before, after):
    for b, a in zip(before, after):
        assert torch.equal(b, a) or not torch.equal(b, b), "an input was changed"


def call(name, x, args, group, shapes=None, work=None):
    """The output of one collective for the input x of this rank. `work` receives the handle of an asynchronous call."""
    args = dict(args)
    if "op" in args:
        args["op"] = OPS[args["op"]]
    if work is not None:
        args["async_op"] = True
    n = dist.get_world_size(group)
    ranks = dist.get_process_group_ranks(group) if group is not None else list(range(n))
    me = dist.get_rank()

    def do(f, *a, **k):
        w = f(*a, **k, **args, group=group)
        if work is not None:
            work.append(w)

    if name in ("all_reduce", "broadcast"):
        do(getattr(dist, name), x)
        return x
    if name == "reduce":
        do(dist.reduce, x)
        return x if me == args["dst"] else None
    kept = [v.clone() for v in (x if isinstance(x, list) else [x]) if isinstance(v, torch.Tensor)]
    if name == "all_gather" and shapes:  # unequal sizes, which Gloo rejects: one broadcast per rank
        out = [x.clone() if r == me else torch.empty(s, dtype=x.dtype) for r, s in zip(ranks, shapes)]
        for r, o in zip(ranks, out):
            dist.broadcast(o, r, group=group)
    elif name == "all_gather":
        out = [torch.empty_like(x) for _ in range(n)]
        do(dist.all_gather, out, x)
    elif name == "all_gather_into_tensor":
        out = torch.empty((n * x.shape[0], *x.shape[1:]), dtype=x.dtype)
        do(dist.all_gather_into_tensor, out, x)
    elif name == "reduce_scatter":
        out = torch.empty_like(x[ranks.index(me)])
        do(dist.reduce_scatter, out, x)
    elif name == "reduce_scatter_tensor":
        out = torch.empty((x.shape[0] // n, *x.shape[1:]), dtype=x.dtype)
        do(dist.reduce_scatter_tensor, out, x)
    elif name == "gather":
        out = [torch.empty_like(x) for _ in range(n)] if me == args["dst"] else None
        do(dist.gather, x, out)
    elif name == "scatter":
        shape, dtype = shapes
        out = torch.empty(shape, dtype=dtype)
        do(dist.scatter, out, x)
    elif name == "all_to_all":
        out = [torch.empty_like(v) for v in x]
        do(dist.all_to_all, out, x)
    elif name == "all_to_all_single":
        rows = sum(args["output_split_sizes"]) if args.get("output_split_sizes") else x.shape[0]
        out = torch.empty((rows, *x.shape[1:]), dtype=x.dtype)
        do(dist.all_to_all_single, out, x)
    elif name == "all_gather_object":
        out = [None] * n
        do(dist.all_gather_object, out, x)
    elif name == "gather_object":
        out = [None] * n if me == args["dst"] else None
        do(dist.gather_object, x, out)
    elif name == "broadcast_object_list":
        out = x
        do(dist.broadcast_object_list, out)
    elif name == "scatter_object_list":
        out = [None]
        do(dist.scatter_object_list, out, x)
        out = out[0]
    else:
        raise KeyError(f"unknown call {name}")
    if kept and work is None:
        unchanged(kept, [v for v in (x if isinstance(x, list) else [x]) if isinstance(v, torch.Tensor)])
    return out


def kind_call(c):
    group = dist.new_group(c["group"]) if "group" in c else None
    x, args, layout, shapes = c["input"], c["args"], c.get("layout", "contiguous"), c.get("shapes")
    name, copy = c["call"], c.get("contiguous_copy", False)
    if "group" in c and c.rank not in c["group"]:
        return {"out": None}
    if c.double and name == "scatter" and shapes[1] == torch.float32:
        shapes[1] = torch.float64
    if isinstance(x, torch.Tensor):
        x = laid_out(x, layout)
        if copy:
            x = x.contiguous()
    return {"out": call(name, x, args, group, shapes)}


def kind_gradient(c):
    """A collective as an op: outputs, and the gradient of the input of this rank for the cotangents of all ranks."""
    group = dist.new_group(list(range(c.world)))
    x, args, name, cot = c["input"], c["args"], c["call"], c["grad_output"]
    xs = [v.requires_grad_() for v in (x if isinstance(x, list) else [x])]
    op = args.get("op", "sum")
    if name == "all_reduce":
        out = fc.all_reduce(xs[0], op, group)
    elif name == "all_gather":
        out = list(dnf.all_gather(xs[0], group))
    elif name == "all_gather_into_tensor":
        out = fc.all_gather_tensor(xs[0], 0, group)
    elif name == "reduce_scatter":
        out = dnf.reduce_scatter(torch.empty_like(xs[0]), xs, group=group)
    elif name == "reduce_scatter_tensor":
        out = fc.reduce_scatter_tensor(xs[0], op, 0, group)
    elif name == "all_to_all":
        out = list(dnf.all_to_all([torch.empty_like(v) for v in xs], xs, group))
    elif name == "all_to_all_single":
        out = fc.all_to_all_single(xs[0], args.get("output_split_sizes"), args.get("input_split_sizes"), group)
    elif name == "broadcast":
        out = dnf.broadcast(xs[0], args["src"], group)
    elif name == "reduce":
        out = dnf.reduce(xs[0], args["dst"], group=group)
    elif name == "gather":
        out = list(dnf.gather(xs[0], args["dst"], group))
    elif name == "scatter":
        out = dnf.scatter(xs, args["src"], group)
    else:
        raise KeyError(f"unknown call {name}")
    outs = [
        o.wait() if isinstance(o, fc.AsyncCollectiveTensor) else o for o in (out if isinstance(out, list) else [out])
    ]
    cots = cot if isinstance(cot, list) else [cot]
    loss = sum((o * g).sum() for o, g in zip(outs, cots))
    grads = torch.autograd.grad(loss, xs, allow_unused=True)
    shown = [o.detach() for o in outs]
    if name in ("reduce", "gather") and c.rank != args["dst"]:
        shown = [None]
    grads = [g.contiguous() if g is not None else None for g in grads]
    if name == "scatter" and c.rank != args["src"]:
        grads = [None]
    return {
        "out": shown if isinstance(out, list) and shown != [None] else shown[0],
        "grad_input": grads if isinstance(x, list) and grads != [None] else grads[0],
    }


class Program:
    """Runs the steps of one rank over named values."""

    def __init__(self, c, names):
        self.c, self.v, self.groups, self.works = c, names, {None: None}, {}

    def run(self, steps):
        for s in steps:
            s = dict(s)
            if self.c.rank in s.pop("ranks", range(self.c.world)) or s["do"] == "new_group":
                getattr(self, s.pop("do"))(**s)

    def new_group(self, name, members):
        self.groups[name] = dist.new_group(members)

    def info(self, out, group=None):
        g = self.groups[group]
        inside = dist.get_rank(g) >= 0
        self.v[out] = [
            dist.get_rank(g),
            dist.get_world_size(g),
            dist.get_process_group_ranks(g)
            if inside and g is not None
            else list(range(self.c.world))
            if inside
            else [],
        ]

    def call(self, call, on=None, args={}, group=None, out=None, work=None):
        handle = [] if work else None
        r = call_(call, self.v.get(on), args, self.groups[group], work=handle)
        if work:
            self.works[work] = handle[0]
        if out:
            self.v[out] = r

    def barrier(self, group=None):
        dist.barrier(group=self.groups[group])

    def monitored_barrier(self):
        dist.monitored_barrier()

    def send(self, what, to, tag=0, group=None):
        dist.send(self.v[what], to, self.groups[group], tag)

    def recv(self, into, source, tag=0, group=None, out=None):
        r = dist.recv(self.v[into], source, self.groups[group], tag)
        if out:
            self.v[out] = r

    def isend(self, what, to, work, tag=0):
        self.works[work] = dist.isend(self.v[what], to, None, tag)

    def irecv(self, into, source, work, tag=0):
        self.works[work] = dist.irecv(self.v[into], source, None, tag)

    def batch(self, ops):
        made = [dist.P2POp(getattr(dist, kind), self.v[what], peer) for kind, what, peer in ops]
        for w in dist.batch_isend_irecv(made):
            w.wait()

    def wait(self, work, completed=None):
        self.works[work].wait()
        if completed:
            self.v[completed] = self.works[work].is_completed()

    def double(self, what):
        """An operation between collectives: doubles a tensor in place."""
        self.v[what].mul_(2)

    def destroy(self):
        dist.destroy_process_group()


call_ = call


def kind_program(c):
    p = Program(c, c["values"])
    p.run(c["program"])
    return {k: v for k, v in p.v.items()}


def kind_error(c):
    p = Program(c, c["values"])
    steps = c["program"]
    return c.attempt(lambda: p.run(steps))
