"""Completes a new layer case: parameters, cotangents, expected values, tolerances. Its id seeds random numbers."""
import copy
import zlib

import torch

from layers.results import expected_references, write_results
from layers.run import DTYPES, Reader, build_module, dtype_name, flatten, is_ref, run_case

# rtol, and atol of a tensor whose largest element is 1, by the least precise floating dtype of the case.
TOLERANCES = {"float64": (1e-9, 1e-11), "float32": (2e-5, 4e-6), "float16": (2e-3, 2e-3), "bfloat16": (1.6e-2, 1.6e-2)}
# The tolerance is at least this many times the error of PyTorch, which a run in float64 measures.
WIDENING = {"float32": 8, "float16": 3, "bfloat16": 3}
SMALLEST_SCALE = 0.05  # of a tensor, relative to the largest element of the case
# Families whose outputs do not mix elements, so that a large element does not excuse the error of a small one.
ELEMENTWISE = {"activation", "dropout", "tensor_arithmetic", "tensor_unary"}


def generator(case, role):
    return torch.Generator().manual_seed(zlib.crc32(f"{case['id']}/{role}".encode()))


def normal(case, role, like):
    return torch.randn(like.shape, generator=generator(case, role)).to(like.dtype)


def add_parameters(case, tensors):
    """Initial values of the module, with drawn biases, norm weights and running statistics."""
    torch.manual_seed(zlib.crc32(case["id"].encode()))
    module = build_module(case, Reader(tensors)).to(DTYPES[case["dtype"]])
    if case["name"].startswith("Lazy"):
        with torch.no_grad():
            module(*Reader(tensors)(case["inputs"]))
    trained, case["params"] = dict(module.named_parameters()), {}
    for key, value in module.state_dict().items():
        if is_ref(case["args"].get(key)):
            continue  # the weight of a loss, which is an argument
        role, leaf = f"param.{key}", key.rsplit(".", 1)[-1]
        if leaf == "running_mean" or key in trained and "bias" in leaf:
            value = 0.4 * normal(case, role, value)
        elif leaf == "running_var" or key in trained and leaf == "weight" and value.dim() == 1:
            value = (0.4 + 1.4 * torch.rand(value.shape, generator=generator(case, role))).to(value.dtype)
        tensors[role], case["params"][key] = value.clone(), {"t": role}


def drawn(case, values, role, tensors, all_tensors=False):
    """References to drawn tensors like those of a nested value that require gradients, or like all; null elsewhere."""
    if isinstance(values, dict):
        return {key: drawn(case, value, f"{role}.{key}", tensors, all_tensors) for key, value in values.items()}
    if isinstance(values, (list, tuple)):
        return [drawn(case, value, f"{role}.{i}", tensors, all_tensors) for i, value in enumerate(values)]
    if not isinstance(values, torch.Tensor) or not (values.requires_grad or all_tensors):
        return None
    tensors[role] = normal(case, role, values)
    return {"t": role}


def add_cotangents(case, tensors):
    """Draws `grad_output`, and the vectors of second derivatives if the draft has "double_backward": true."""
    double = case.pop("double_backward", False)
    outputs = run_case(case, tensors, want_backward=False)["outputs"]
    if not any(isinstance(y, torch.Tensor) and y.requires_grad for y in flatten(outputs)):
        return
    case["grad_output"] = drawn(case, outputs, "gout", tensors)
    if double:
        result = run_case(case, tensors)
        case["double_backward"] = {f"v_{name}": drawn(case, result[f"grad_{name}"], f"v.{name}", tensors, True)
                                   for name in ("inputs", "kwinputs", "params")}


def in_double(case, tensors):
    """The expected tensors of the case in float64 by role."""
    twin = copy.deepcopy(case)
    twin["dtype"], results = "float64", {}
    doubles = {role: x.double() if x.is_floating_point() else x for role, x in tensors.items()}
    write_results(twin, run_case(twin, doubles), results)
    return results


def largest(x):
    finite = x.double()[x.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def set_tolerances(case, inputs, results, family):
    floats = [x for x in (inputs | results).values() if x.is_floating_point()]
    names = {dtype_name(x.dtype) for x in floats}
    dtype = next((name for name in reversed(TOLERANCES) if name in names), "float32")
    rtol, base = TOLERANCES[dtype]
    exact = {} if dtype == "float64" else in_double(case, inputs)
    floor = SMALLEST_SCALE * min(10.0, max(map(largest, floats), default=0.0))
    case["rtol"], case["atol"] = rtol, 0.0
    for reference in expected_references(case):
        x, e = results[reference["t"]], exact.get(reference["t"])
        if not x.is_floating_point():
            continue
        scale = max(largest(x), floor)
        atol = base * (min(scale, 1.0) if family in ELEMENTWISE else scale)
        if e is not None:
            x = x.double()
            ok = x.isfinite() & e.isfinite()
            slack = (WIDENING[dtype] * (x - e).abs() - rtol * x.abs())[ok]
            atol = max([atol, *slack.flatten().tolist()])
        reference["atol"] = float(f"{1.03 * atol:.1e}")
        case["atol"] = max(case["atol"], reference["atol"])


def complete(case, tensors, family):
    """Returns the case and its tensors. The draft has id, kind, name, dtype, args, inputs, and the mode of a module."""
    if case["kind"] in ("layer", "loss"):
        add_parameters(case, tensors)
    add_cotangents(case, tensors)
    results = {}
    write_results(case, run_case(case, tensors), results)
    set_tolerances(case, tensors, results, family)
    return case, tensors | results
