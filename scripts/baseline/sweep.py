"""The baseline of the sweep over ops: draws the inputs of a row, evaluates its expression, times it."""
import builtins
import gc
import math
import time

import torch
import torch.nn.functional as F

DTYPES = {
    "f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64,
    "i32": torch.int32, "u8": torch.uint8, "bool": torch.bool,
}


class DType:
    """Dtypes by their names in C++."""


for brief, dtype in DTYPES.items():
    setattr(DType, "bool_" if brief == "bool" else brief, dtype)

# Names of torch, which take precedence over Python's.
NAMES = vars(builtins) | {k: v for k, v in vars(torch).items() if not k.startswith("_")}
NAMES |= {"F": F, "DType": DType, "torch": torch}


def integers(spec):
    shape, dtype, values = spec["shape"], DTYPES[spec["dtype"]], spec["values"]
    if dtype == torch.bool:
        return torch.ones(shape, dtype=dtype) if values == "ones" else torch.rand(shape) < 0.5
    if values == "index":
        return torch.randint(spec["bound"], shape, dtype=dtype)
    if values == "order":
        return torch.randperm(shape[0], dtype=dtype)
    if values == "ones":
        return torch.ones(shape, dtype=dtype)
    low, high = (1, 10) if values in ("positive", "uniform") else (-100, 100)
    t = torch.randint(low, high, shape).to(dtype)
    return t.sort().values if values == "sorted" else t


def floats(spec):
    shape, values = spec["shape"], spec["values"]
    last = shape[-1] if shape else 1
    if values == "uniform":
        return torch.rand(shape)
    if values == "positive":
        return torch.rand(shape) + 0.5
    if values == "unit":
        return torch.rand(shape) * 1.8 - 0.9
    if values == "sorted":
        return torch.rand(shape).sort().values
    if values == "ones":
        return torch.ones(shape)
    if values == "zeros":
        return torch.zeros(shape)
    normal = torch.randn(shape)
    if values == "spd":
        return normal @ normal.mT / last + torch.eye(last)
    if values == "dominant":
        return normal / last + torch.eye(last)
    if values == "probabilities":
        return normal.softmax(-1)
    if values == "nan":
        return normal.masked_fill(normal > 1.28, math.nan)
    assert values == "normal", values
    return normal


class Drawn:
    """The tensors drawn last: consecutive rows have equal inputs."""

    def __init__(self):
        self.tensors = {}

    def draw(self, spec, ordinal):
        key = (spec["values"], spec["bound"], spec["dtype"], tuple(spec["shape"]), ordinal)
        t = self.tensors.pop(key, None)
        if t is None:
            torch.manual_seed(ordinal)
            dtype = DTYPES[spec["dtype"]]
            t = floats(spec).to(dtype) if dtype.is_floating_point else integers(spec)
        self.tensors[key] = t
        if len(self.tensors) > 6:
            del self.tensors[next(iter(self.tensors))]
        return t


def flatten(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in flatten(item)]
    return []


def described(t):
    """dtype, shape, and the sum of the absolute values of the finite elements."""
    values = t.detach().double().abs()
    values = values[values.isfinite()]
    name = next(brief for brief, dtype in DTYPES.items() if dtype == t.dtype)
    return [name, list(t.shape), values.sum().item()]


class Sweep:
    def __init__(self):
        self.drawn = Drawn()
        self.call, self.backward = None, False
        self.first, self.count = 0.0, None

    def answer(self, request):
        if "seconds" in request:
            return self.measure(request["seconds"])
        return self.prepare(request)

    def prepare(self, request):
        """Draws inputs and returns descriptions of the outputs, and whether they have gradients."""
        torch.set_num_threads(request["threads"])
        backward, names = request["backward"], dict(request["sizes"])
        leaves = []
        for ordinal, spec in enumerate(request["inputs"]):
            t = self.drawn.draw(spec, ordinal).detach()
            t = t.clone() if request["in_place"] else t
            if backward and spec["differentiable"]:
                leaves.append(t.requires_grad_())
            names[spec["name"]] = t
        arguments = ", ".join(names)
        # A function of its arguments reads them as local variables, as a program would.
        function = eval(f"lambda {arguments}: lambda: {request['expression']}", NAMES)(**names)
        torch.manual_seed(0)
        self.call, self.backward, self.count = function, backward, None
        start = time.perf_counter()
        with torch.set_grad_enabled(backward):
            outs = flatten(function())
        if backward:
            differentiable = [t for t in outs if t.requires_grad]
            if not differentiable or not leaves:
                return None
            ones = [torch.ones_like(t) for t in differentiable]

            def call():
                wanted = [t for t in flatten(function()) if t.requires_grad]
                return torch.autograd.grad(wanted, leaves, ones, allow_unused=True)

            self.call = call
            start = time.perf_counter()
            outs = [t for t in call() if t is not None]
        self.first = time.perf_counter() - start
        return [described(t) for t in outs] if request["compared"] else []

    def measure(self, seconds):
        """Returns the seconds per call in a batch that lasts about `seconds`."""
        gc.disable()
        with torch.set_grad_enabled(self.backward):
            if self.count is None:
                once = self.first if self.first > seconds else self.timed(1)
                self.count = max(1, min(100_000, int(seconds / max(once, 1e-7))))
            took = self.timed(self.count)
        gc.enable()
        return took

    def timed(self, count):
        call = self.call
        start = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - start) / count
