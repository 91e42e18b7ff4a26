"""Runs one layer case in PyTorch from its JSON and its tensors. This file defines the meaning of the format."""

from collections import OrderedDict
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import PackedSequence

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
torch.backends.mha.set_fastpath_enabled(False)

DTYPES = {
    str(d).split(".")[1]: d
    for d in (
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
    )
}


def dtype_name(d):
    return str(d).split(".")[1]


class Residual(nn.Module):
    def __init__(self, children):
        super().__init__()
        for name, m in children.items():
            self.add_module(name, m)

    def forward(self, x):
        y = self.body(x) + (self.shortcut(x) if hasattr(self, "shortcut") else x)
        return self.act(y) if hasattr(self, "act") else y


class Chain(nn.Module):
    def __init__(self, children):
        super().__init__()
        self.layers = nn.ModuleList(children.values())

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Branches(nn.Module):
    def __init__(self, children):
        super().__init__()
        self.branches = nn.ModuleDict(children)

    def forward(self, x):
        return torch.cat([b(x) for b in self.branches.values()], dim=1)


COMPOSITES = {"Sequential": nn.Sequential, "Residual": Residual, "Chain": Chain, "Branches": Branches}


def relayout(x, how):
    """Equal values with other strides or another offset."""
    if how is None:
        return x
    if how == "transpose-last-two":
        return x.transpose(-1, -2).contiguous().transpose(-1, -2)
    if how == "channels-last":
        fmt = {4: torch.channels_last, 5: torch.channels_last_3d}[x.dim()]
        return x.contiguous(memory_format=fmt)
    if how == "every-second":
        y = x.new_zeros(*x.shape[:-1], 2 * x.shape[-1])
        y[..., ::2] = x
        return y[..., ::2]
    if how == "offset":
        y = x.new_zeros(x.numel() + 3)
        y[3:] = x.reshape(-1)
        return y[3:].view(x.shape)
    if how == "expand-first":
        return x[:1].expand_as(x)
    raise ValueError(how)


class Reader:
    """Converts JSON values to Python values; `leaves` are the tensors that require gradients, by role."""

    def __init__(self, tensors):
        self.tensors = tensors
        self.leaves = OrderedDict()
        self.seen = {}

    def __call__(self, v):
        if isinstance(v, list):
            return tuple(self(x) for x in v)
        if not isinstance(v, dict):
            return v
        if "t" in v:
            role = v["t"]
            if role in self.leaves:
                return self.leaves[role]
            x = relayout(self.tensors[role].clone(), v.get("transform")).detach()
            if v.get("grad"):
                x.requires_grad_()
                self.leaves[role] = x
            self.seen[role] = x
            return x
        if "zeros" in v:
            return torch.zeros(v["zeros"], dtype=DTYPES[v["dtype"]])
        if "data" in v:
            return torch.tensor(v["data"], dtype=DTYPES[v["dtype"]])
        if "dtype" in v:
            return DTYPES[v["dtype"]]
        if "slice" in v:
            return slice(*v["slice"])
        if "ellipsis" in v:
            return Ellipsis
        if "float" in v:
            return float(v["float"])
        if "module" in v:
            return build_module(v["module"], self)
        if "packed" in v:
            p = v["packed"]
            return PackedSequence(
                self(p["data"]), self(p["batch_sizes"]), self(p["sorted_indices"]), self(p["unsorted_indices"])
            )
        raise ValueError(f"unknown value {v}")


def map_refs(v, fn):
    """The nesting of v with fn(reference) for each reference to a tensor and null for all else."""
    if isinstance(v, list):
        return [map_refs(x, fn) for x in v]
    if isinstance(v, dict):
        if "t" in v:
            return fn(v)
        if "packed" in v:
            return fn(v["packed"]["data"])
    return None


def flatten(v):
    """Tensors (or other leaves) of a run-time value, depth first."""
    if isinstance(v, PackedSequence):
        return [v.data]
    if isinstance(v, (list, tuple)):
        return [y for x in v for y in flatten(x)]
    return [v]


def same(x, y):
    return x.shape == y.shape and bool(((x == y) | (x.isnan() & y.isnan()) if y.is_floating_point() else x == y).all())


def is_ref(v):
    return isinstance(v, dict) and "t" in v


def build_module(spec, read):
    args = {k: read(a) for k, a in spec.get("args", {}).items()}
    if spec["name"] in COMPOSITES:
        return COMPOSITES[spec["name"]](OrderedDict((n, build_module(s, read)) for n, s in spec["children"]))
    return getattr(nn, spec["name"])(**args)


def describe_state(m):
    params = {n for n, _ in m.named_parameters(remove_duplicate=False)}
    return [
        [
            k,
            list(v.shape) if not nn.parameter.is_lazy(v) else None,
            dtype_name(v.dtype),
            "parameter" if k in params else "buffer",
        ]
        for k, v in m.state_dict(keep_vars=True).items()
    ]


def function(name):
    head, rest = name.split(".", 1)
    if head == "Tensor":
        if rest == "__getitem__":
            return lambda x, index: x[index]
        if rest == "__setitem__":

            def put(x, index, value):
                x[index] = value
                return x

            return put
        f = getattr(torch.Tensor, rest)
        return f if callable(f) else lambda x: getattr(x, rest)  # a property
    f = {"F": F, "torch": torch, "rnn": nn.utils.rnn}[head]
    for part in rest.split("."):
        f = getattr(f, part)
    return f


def run_case(case, tensors, want_backward=True):
    """Runs a case with its tensors by role, and returns the results by the names of the fields."""
    if case["kind"] == "error":
        return run_error(case, tensors)
    if case["kind"] == "init":
        torch.manual_seed(case["seed"])
        m = build_module(case, Reader(tensors))
        return {
            "repr": str(m),
            "state_dict_keys": describe_state(m),
            "init": {k: v.clone() for k, v in m.state_dict().items()},
        }

    read = Reader(tensors)
    res, module = {}, None
    if case["kind"] in ("layer", "loss"):
        module = build_module(case, Reader(tensors))
        module.to(DTYPES[case["dtype"]])
        res["repr"] = str(module)
        if case["name"].startswith("Lazy"):  # the first call gives the parameters their shapes
            with torch.no_grad():
                module(*Reader(tensors)(case["inputs"]))
        loaded = {k: tensors[r["t"]] for k, r in case["params"].items()}
        missing, unexpected = module.load_state_dict(loaded, strict=False)
        left = [k for k in missing if not is_ref(case["args"].get(k))]
        assert not left and not unexpected, (left, unexpected)
        module.train(case["mode"] == "train")
        before = {k: v.detach().clone() for k, v in module.state_dict().items()}
        fn, kwargs = module, {}
    else:
        fn, kwargs = function(case["name"]), {k: read(a) for k, a in case["args"].items()}

    inputs = list(read(case["inputs"]))
    kwargs.update({k: read(a) for k, a in case.get("kwinputs", {}).items()})
    for _ in range(case.get("n_forward", 1)):
        call = list(inputs)
        if case.get("clone_first_input"):
            call[0] = call[0].clone()
        out = fn(*call, **kwargs)
    res["outputs"] = out

    if module is not None:
        if str(module) != res["repr"]:
            res["repr_after"] = str(module)
        res["state_dict_keys"] = describe_state(module)
        params = dict(module.named_parameters())
        after = {k: v.detach().clone() for k, v in module.state_dict().items()}
        res["state_after"] = {k: v for k, v in after.items() if k not in params or not torch.equal(v, before[k])}
    else:
        params = {}
        changed = {r: x.detach().clone() for r, x in read.seen.items() if not same(x, tensors[r])}
        if changed:
            res["inputs_after"] = changed
    if not want_backward or "grad_output" not in case:
        return res
    backward(case, tensors, read, params, out, res)
    return res


def backward(case, tensors, read, params, out, res):
    double = case.get("double_backward")
    gread = Reader(tensors)
    pairs = [(y, g) for y, g in zip(flatten(out), flatten(gread(case["grad_output"]))) if g is not None]
    ys, gs = [p[0] for p in pairs], [p[1] for p in pairs]
    if double:
        gs = [g.clone().requires_grad_() for g in gs]
    leaves = list(read.leaves.values()) + list(params.values())
    if not leaves or not ys:
        return
    grads = torch.autograd.grad(ys, leaves, gs, create_graph=bool(double), allow_unused=True)
    by_role = dict(zip(read.leaves, grads))
    by_name = dict(zip(params, grads[len(read.leaves) :]))
    pick = lambda ref: by_role.get(ref["t"])
    res["grad_inputs"] = map_refs(case["inputs"], pick)
    res["grad_kwinputs"] = {k: map_refs(v, pick) for k, v in case.get("kwinputs", {}).items()}
    res["grad_params"] = by_name
    if not double:
        return

    vs = gread([double["v_inputs"], list(double["v_kwinputs"].values()), list(double["v_params"].values())])
    grads_of = flatten(
        [res["grad_inputs"], list(res["grad_kwinputs"].values()), [by_name[k] for k in double["v_params"]]]
    )
    terms = [(g, v) for g, v in zip(grads_of, flatten(vs)) if v is not None]
    terms = [(g, v) for g, v in terms if g.requires_grad]
    second = torch.autograd.grad([g for g, _ in terms], leaves + gs, [v for _, v in terms], allow_unused=True)
    second = [None if s is None else s.detach() for s in second]
    by_role2 = dict(zip(read.leaves, second))
    pick2 = lambda ref: by_role2.get(ref["t"])
    gi = iter(second[len(leaves) :])
    res["double_backward"] = {
        "grad_inputs": map_refs(case["inputs"], pick2),
        "grad_kwinputs": {k: map_refs(v, pick2) for k, v in case.get("kwinputs", {}).items()},
        "grad_params": dict(zip(params, second[len(read.leaves) : len(leaves)])),
        "grad_grad_output": [next(gi) if g is not None else None for g in flatten(gread(case["grad_output"]))],
    }


def run_error(case, tensors):
    read = Reader(tensors)
    stage = "construct"
    try:
        if case["name"].split(".")[0] in ("F", "torch", "Tensor", "rnn"):
            fn, kwargs = function(case["name"]), {k: read(a) for k, a in case["args"].items()}
        else:
            fn, kwargs = build_module(case, read), {}
            fn.train(case.get("mode", "train") == "train")
        stage = "forward"
        kwargs.update({k: read(a) for k, a in case.get("kwinputs", {}).items()})
        fn(*read(case["inputs"]), **kwargs)
    except Exception as e:  # an error is the result
        return {"must_fail": True, "stage": stage, "exception": type(e).__name__, "message": str(e)}
    return {"must_fail": False}
