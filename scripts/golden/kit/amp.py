"""Family amp: result dtypes under autocast, programs, GradScaler."""

import math

import torch
import torch.nn.functional as F  # noqa: F401 (named by cases)
from torch import nn
from torch.utils.checkpoint import checkpoint

from .case import attempt

LOWER = ("bfloat16", "float16")
PATTERNS = (
    "float32",
    "float64",
    "bfloat16",
    "float16",
    "float32+bfloat16",
    "bfloat16+float32",
    "float32+float16",
    "bfloat16+float16",
    "float32+float64",
)


def function(path):
    f = {"torch": torch, "F": F, "Tensor": torch.Tensor, "nn": nn}[path.split(".")[0]]
    for part in path.split(".")[1:]:
        f = getattr(f, part)
    return f


def make_input(spec, dtype):
    """The tensor that an input of a policy specifies.

    {"shape"} is 0.25, 0.5, 0.75, 1, 0.25, ... in the dtype under test, {"eye": n} twice the unit matrix, {"list"} a
    list of inputs, {"data", "dtype"} a tensor that keeps its dtype.
    """
    if not isinstance(spec, dict):
        return spec
    if "shape" in spec:
        n = math.prod(spec["shape"])
        return (torch.arange(n) % 4 * 0.25 + 0.25).reshape(spec["shape"]).to(dtype())
    if "eye" in spec:
        return (2 * torch.eye(spec["eye"])).to(dtype())
    if "list" in spec:
        return [make_input(s, dtype) for s in spec["list"]]
    return torch.tensor(spec["data"], dtype=spec["dtype"])


def dtypes_of(x):
    if isinstance(x, torch.Tensor):
        return [x.dtype]
    return [d for y in x for d in dtypes_of(y)] if isinstance(x, (list, tuple)) else []


def kind_policy(c):
    """Result dtypes of one op by the dtypes of autocast and of the inputs, without those that have no kernel.

    With a pattern a+b, the first tensor has dtype a and the later ones have dtype b.
    """
    out = {}
    for lower in LOWER:
        row = out[lower] = {}
        for pattern in PATTERNS:
            names = pattern.split("+")
            counter = iter([names[0]] + [names[-1]] * 20)
            args = [make_input(a, lambda: getattr(torch, next(counter))) for a in c["inputs"]]
            try:
                with torch.autocast("cpu", dtype=getattr(torch, lower)):
                    row[pattern] = dtypes_of(function(c["name"])(*args, **c["args"]))
            except Exception:
                pass
    return out


def state():
    return [torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.is_autocast_cache_enabled()]


SEEN = []  # dtypes and states of autocast in the custom functions


class PlainMM(torch.autograd.Function):
    """mm without support of autocast: both directions run in the scope that surrounds them."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        SEEN.append(["forward", torch.is_autocast_enabled("cpu"), a.dtype, b.dtype])
        return a.mm(b)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        SEEN.append(["backward", torch.is_autocast_enabled("cpu"), g.dtype])
        return g.mm(b.t().to(g.dtype)), a.t().to(g.dtype).mm(g)


class ScopedMM(torch.autograd.Function):
    """mm with custom_fwd and custom_bwd: the backward runs in the scope of the forward."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        SEEN.append(["forward", torch.is_autocast_enabled("cpu"), a.dtype, b.dtype])
        return a.mm(b)

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        SEEN.append(["backward", torch.is_autocast_enabled("cpu"), g.dtype])
        return g.mm(b.t()), a.t().mm(g)


class FullMM(torch.autograd.Function):
    """mm with custom_fwd(cast_inputs=float32): in a scope, inputs are cast and autocast is disabled both ways."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        SEEN.append(["forward", torch.is_autocast_enabled("cpu"), a.dtype, b.dtype])
        return a.mm(b)

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        SEEN.append(["backward", torch.is_autocast_enabled("cpu"), g.dtype])
        return g.mm(b.t()), a.t().mm(g)


CUSTOM = {"PlainMM": PlainMM, "ScopedMM": ScopedMM, "FullMM": FullMM}


def make_module(spec):
    args = dict(spec["args"])
    if "layer" in spec:
        return nn.TransformerEncoder(make_module(spec["layer"]), **args)
    if spec["name"] == "Sequential":
        return nn.Sequential(*map(make_module, spec["children"]))
    return getattr(nn, spec["name"])(**args)


class Machine:
    def __init__(self):
        self.vars, self.shown = {}, []

    def value(self, v):
        if isinstance(v, dict) and set(v) == {"v"}:
            return self.find(v["v"])
        return [self.value(x) for x in v] if isinstance(v, list) else v

    def find(self, path):
        """A variable, or a tensor inside one: m.weight, y.0, p.grad."""
        head, *rest = path.split(".")
        x = self.vars[head]
        for part in rest:
            x = x[int(part)] if isinstance(x, (list, tuple, nn.Sequential)) and part.isdigit() else getattr(x, part)
        return x

    def run(self, body):
        for s in body:
            getattr(self, "do_" + s["do"])(s)

    def do_tensor(self, s):
        self.vars[s["out"]] = s["value"].clone().requires_grad_(s.get("requires_grad", False))

    def do_module(self, s):
        m = make_module(s)
        m.load_state_dict(s["state"])
        self.vars[s["out"]] = m.train(s.get("train", True))

    def do_call(self, s):
        self.vars[s["out"]] = function(s["fn"])(
            *self.value(s["args"]), **{k: self.value(v) for k, v in s.get("kwargs", {}).items()}
        )

    def do_forward(self, s):
        self.vars[s["out"]] = self.vars[s["module"]](*self.value(s["args"]), **s.get("kwargs", {}))

    def do_checkpoint(self, s):
        self.vars[s["out"]] = checkpoint(
            self.vars[s["module"]], *self.value(s["args"]), use_reentrant=s["use_reentrant"]
        )

    def do_custom(self, s):
        self.vars[s["out"]] = CUSTOM[s["fn"]].apply(*self.value(s["args"]))

    def do_autocast(self, s):
        with torch.autocast(
            "cpu", dtype=s.get("dtype"), enabled=s.get("enabled", True), cache_enabled=s.get("cache_enabled")
        ):
            self.run(s["body"])

    def do_no_grad(self, s):
        with torch.no_grad():
            self.run(s["body"])

    def do_assign(self, s):
        with torch.no_grad():
            self.find(s["to"]).copy_(self.value(s["value"]))

    def do_backward(self, s):
        self.find(s["of"]).backward(
            self.value(s["gradient"]) if "gradient" in s else None, retain_graph=s.get("retain_graph", False)
        )

    def do_sgd(self, s):
        opt = torch.optim.SGD(self.vars[s["module"]].parameters(), lr=s["lr"])
        opt.step()
        opt.zero_grad()

    def do_set(self, s):
        if "enabled" in s:
            torch.set_autocast_enabled("cpu", s["enabled"])
        if "dtype" in s:
            torch.set_autocast_dtype("cpu", s["dtype"])
        if "cache_enabled" in s:
            torch.set_autocast_cache_enabled(s["cache_enabled"])

    def do_clear_cache(self, s):
        torch.clear_autocast_cache()

    def do_show(self, s):
        x = self.find(s["what"])
        self.shown.append(
            [y.detach().clone() for y in x if y is not None]
            if isinstance(x, (tuple, list))
            else None
            if x is None
            else x.detach().clone()
        )

    def do_show_dtype(self, s):
        self.shown.append(self.find(s["what"]).dtype)

    def do_show_state(self, s):
        self.shown.append(state())

    def do_fails(self, s):
        self.shown.append(attempt(lambda: self.run(s["body"])))


def kind_program(c):
    m = Machine()
    SEEN.clear()
    before = state()
    try:
        m.run(c["program"])
    finally:
        torch.set_autocast_enabled("cpu", before[0])
        torch.set_autocast_dtype("cpu", before[1])
        torch.set_autocast_cache_enabled(before[2])
        torch.clear_autocast_cache()
    return {"shown": m.shown, **({"seen": list(SEEN)} if SEEN else {})}


def kind_scaler(c):
    """Actions on a GradScaler and SGD optimizers, with a record for each."""
    scaler = torch.amp.GradScaler("cpu", **c["args"])
    params = [[nn.Parameter(p) for p in o["params"]] for o in c["optimizers"]]
    opts = [torch.optim.SGD(ps, lr=o["lr"]) for ps, o in zip(params, c["optimizers"])]
    out = []
    for a in c["actions"]:
        k, do = a.get("optimizer", 0), a["do"]
        if do == "backward":  # of scale(sum(p * g)): the gradients are scaled
            loss = sum((p * g).sum() for p, g in zip(params[k], a["gradients"]))
            scaler.scale(loss).backward()
            out.append({"scaled_gradients": [p.grad.clone() for p in params[k]]})
        elif do == "scale":
            out.append({"scaled": scaler.scale(a["value"])})
        elif do == "unscale_":
            out.append(
                attempt(lambda: scaler.unscale_(opts[k]))
                if a.get("fails")
                else scaler.unscale_(opts[k]) or {"gradients": [p.grad.clone() for p in params[k]]}
            )
        elif do == "clip":
            out.append({"norm": nn.utils.clip_grad_norm_(params[k], a["max_norm"])})
        elif do == "step":
            out.append(
                attempt(lambda: scaler.step(opts[k]))
                if a.get("fails")
                else scaler.step(opts[k]) or {"params": [p.detach().clone() for p in params[k]]}
            )
            if not a.get("keep"):
                opts[k].zero_grad()
        elif do == "update":
            r = attempt(lambda: scaler.update()) if a.get("fails") else scaler.update(a.get("new_scale"))
            out.append(r or {"scale": scaler.get_scale(), "growth_tracker": scaler._get_growth_tracker()})
        elif do == "state":
            out.append({"state": scaler.state_dict(), "enabled": scaler.is_enabled()})
        elif do == "load":
            r = (
                attempt(lambda: scaler.load_state_dict(a["state"]))
                if a.get("fails")
                else scaler.load_state_dict(a["state"])
            )
            out.append(r or {"scale": scaler.get_scale()})
        elif do == "set":
            getattr(scaler, "set_" + a["what"])(a["value"])
            out.append({"state": scaler.state_dict()})
        else:
            raise KeyError(do)
    return {"records": out}


def kind_error(c):
    if "args" in c:
        return attempt(lambda: torch.amp.GradScaler("cpu", **c["args"]))
    return attempt(lambda: Machine().run(c["program"]))
