"""Writes tests/data/number_ranges.json: the numbers that the functions of PyTorch convert to a dtype on the CPU.

    python scripts/golden/number_ranges.py tests/data/number_ranges.json

Each call receives a tensor of one dtype and one number. A row has one character per number of `values`: `.` if the
call computes a result, `R` if it rejects the number because of its range, and `-` if it fails for another reason, such
as a dtype that it does not support. tests/ops/number_ranges_test.cpp makes the same calls.
"""
import json
import math
import sys
import warnings

import torch
import torch.nn.functional as F

DTYPES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "uint16",
          "uint32", "uint64"]

VALUES = [-2**63, -2**31 - 1, -2**31, -65536, -65535, -32769, -32768, -256, -255, -129, -128, -1, 0, 1, 127, 128, 255,
          256, 32767, 32768, 65504, 65505, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, True, -129.0,
          -128.5, -0.5, 0.5, 127.5, 128.0, 255.5, 256.0, 65504.0, 65505.0, 2147483647.5, 2147483648.0, 9.2e18, 2.0**63,
          1e19, 2.0**64, 3.4e38, 3.5e38, -3.5e38, 1e300, math.inf, -math.inf, math.nan]

MASK = torch.tensor([True, False, True])
INDEX = torch.tensor([0, 2])
NO_INDEX = INDEX[:0]


def assigned(x, key, value):
    x = x.clone()
    x[key] = value
    return x


def bound(value):
    """Returns a bound of linspace, which are doubles in the library: a whole number is an integer."""
    value = float(value)
    return int(value) if value.is_integer() and -2**63 <= value < 2**63 else value


def matrix(x):
    return x.expand(3, 3).clone()


def column(x):
    return x.unsqueeze(1)


def row(x):
    return x.unsqueeze(0)


def batch(x):
    return x.reshape(3, 1, 1)


CALLS = {
    "add alpha": lambda x, v: x.add(x, alpha=v),
    "add number alpha": lambda x, v: x.add(1, alpha=v),
    "add": lambda x, v: x.add(v),
    "add_ alpha": lambda x, v: x.clone().add_(x, alpha=v),
    "addbmm alpha": lambda x, v: torch.addbmm(row(x[:1]), batch(x), batch(x), alpha=v),
    "addbmm beta": lambda x, v: torch.addbmm(row(x[:1]), batch(x), batch(x), beta=v),
    "addcdiv": lambda x, v: x.addcdiv(x, x, value=v),
    "addcmul": lambda x, v: x.addcmul(x, x, value=v),
    "addmm alpha": lambda x, v: torch.addmm(x, column(x), row(x), alpha=v),
    "addmm beta": lambda x, v: torch.addmm(x, column(x), row(x), beta=v),
    "addmv alpha": lambda x, v: torch.addmv(x, matrix(x), x, alpha=v),
    "addmv beta": lambda x, v: torch.addmv(x, matrix(x), x, beta=v),
    "addr alpha": lambda x, v: torch.addr(x, x, x, alpha=v),
    "addr beta": lambda x, v: torch.addr(x, x, x, beta=v),
    "baddbmm alpha": lambda x, v: torch.baddbmm(batch(x), batch(x), batch(x), alpha=v),
    "baddbmm beta": lambda x, v: torch.baddbmm(batch(x), batch(x), batch(x), beta=v),
    "bitwise_and": lambda x, v: x.bitwise_and(v),
    "bucketize": lambda x, v: torch.bucketize(v, x),
    "celu": lambda x, v: F.celu(x, v),
    "clamp max": lambda x, v: x.clamp(max=v),
    "clamp min and max": lambda x, v: x.clamp(v, v),
    "clamp min": lambda x, v: x.clamp(min=v),
    "clamp_ min": lambda x, v: x.clone().clamp_(min=v),
    "clamp_max": lambda x, v: x.clamp_max(v),
    "clamp_min": lambda x, v: x.clamp_min(v),
    "constant_": lambda x, v: torch.nn.init.constant_(x.clone(), v),
    "constant_pad_nd": lambda x, v: torch.constant_pad_nd(x, (1, 1), v),
    "constant_pad_nd crop": lambda x, v: torch.constant_pad_nd(x, (-1, 0), v),
    "copysign": lambda x, v: x.copysign(v),
    "div": lambda x, v: x.div(v),
    "elu": lambda x, v: F.elu(x, v),
    "eq": lambda x, v: x.eq(v),
    "fill_ empty": lambda x, v: x[:0].clone().fill_(v),
    "fill_ one": lambda x, v: x[:1].clone().fill_(v),
    "fill_": lambda x, v: x.clone().fill_(v),
    "fill_diagonal_": lambda x, v: matrix(x).fill_diagonal_(v),
    "fmod": lambda x, v: x.fmod(v),
    "full one": lambda x, v: torch.full((1,), v, dtype=x.dtype),
    "full": lambda x, v: torch.full((2,), v, dtype=x.dtype),
    "full_like": lambda x, v: torch.full_like(x, v),
    "ge": lambda x, v: x.ge(v),
    "hardshrink": lambda x, v: F.hardshrink(x, v),
    "hardtanh max": lambda x, v: F.hardtanh(x, -1, v),
    "hardtanh min": lambda x, v: F.hardtanh(x, v, math.inf if x.is_floating_point() else 2**63 - 1),
    "histc max": lambda x, v: x.histc(3, 0, v),
    "index_add": lambda x, v: x.index_add(0, INDEX, x[:2], alpha=v),
    "index_fill no index": lambda x, v: x.index_fill(0, NO_INDEX, v),
    "index_fill": lambda x, v: x.index_fill(0, INDEX, v),
    "leaky_relu": lambda x, v: F.leaky_relu(x, v),
    "lerp": lambda x, v: x.lerp(x, v),
    "linspace end": lambda x, v: torch.linspace(0, bound(v), 3, dtype=x.dtype),
    "linspace no steps": lambda x, v: torch.linspace(bound(v), bound(v), 0, dtype=x.dtype),
    "linspace one step": lambda x, v: torch.linspace(bound(v), bound(v), 1, dtype=x.dtype),
    "linspace start": lambda x, v: torch.linspace(bound(v), 0, 3, dtype=x.dtype),
    "logspace end": lambda x, v: torch.logspace(0, bound(v), 3, dtype=x.dtype),
    "logit": lambda x, v: x.logit(float(v)),
    "lt": lambda x, v: x.lt(v),
    "masked_fill none": lambda x, v: x.masked_fill(MASK & False, v),
    "masked_fill": lambda x, v: x.masked_fill(MASK, v),
    "mul": lambda x, v: x.mul(v),
    "nan_to_num": lambda x, v: x.nan_to_num(float(v)),
    "new_full": lambda x, v: x.new_full((2,), v),
    "pad": lambda x, v: F.pad(x, (1, 1), value=float(v)),
    "pad_sequence": lambda x, v: torch.nn.utils.rnn.pad_sequence([x, x[:1]], padding_value=float(v)),
    "pow number": lambda x, v: torch.pow(v, x),
    "pow": lambda x, v: x.pow(v),
    "remainder": lambda x, v: x.remainder(v),
    "renorm": lambda x, v: matrix(x).renorm(2, 0, v),
    "rrelu": lambda x, v: torch.rrelu(x, v, v),
    "rsub alpha": lambda x, v: torch.rsub(x, x, alpha=v),
    "scatter no index": lambda x, v: x.scatter(0, NO_INDEX, v),
    "scatter reduce": lambda x, v: x.scatter(0, INDEX, v, reduce="add"),
    "scatter": lambda x, v: x.scatter(0, INDEX, v),
    "searchsorted": lambda x, v: torch.searchsorted(x, v),
    "softplus beta": lambda x, v: F.softplus(x, v),
    "softplus threshold": lambda x, v: F.softplus(x, 1, v),
    "softshrink": lambda x, v: F.softshrink(x, v),
    "sub alpha": lambda x, v: x.sub(x, alpha=v),
    "tensor": lambda x, v: torch.tensor([v], dtype=x.dtype),
    "threshold value": lambda x, v: F.threshold(x, 1, v),
    "threshold": lambda x, v: F.threshold(x, v, 1),
    "where number": lambda x, v: torch.where(MASK, v, x),
    "where numbers": lambda x, v: torch.where(MASK, v, v),
    "where": lambda x, v: torch.where(MASK, x, v),
    "x[0]": lambda x, v: assigned(x, 0, v),
    "x[0:2]": lambda x, v: assigned(x, slice(0, 2), v),
    "x[index, index]": lambda x, v: assigned(matrix(x), (INDEX, INDEX), v),
    "x[index]": lambda x, v: assigned(x, INDEX, v),
    "x[mask]": lambda x, v: assigned(x, MASK, v),
    "xlogy": lambda x, v: x.xlogy(v),
}

RANGE_ERRORS = ("cannot be converted to type", "outside the representable range")


def outcome(call, x, value):
    try:
        call(x, value)
        return "."
    except Exception as e:  # the kinds of errors differ: RuntimeError, NotImplementedError, TypeError, ...
        return "R" if any(text in str(e) for text in RANGE_ERRORS) else "-"


def main():
    warnings.simplefilter("ignore")
    calls = {}
    for name, call in sorted(CALLS.items()):
        calls[name] = {}
        for dtype in DTYPES:
            x = torch.tensor([1, 2, 3]).to(getattr(torch, dtype))
            calls[name][dtype] = "".join(outcome(call, x, v) for v in VALUES)
    table = {"torch": torch.__version__.split("+")[0], "values": [str(v) for v in VALUES], "calls": calls}
    with open(sys.argv[1], "w") as file:
        json.dump(table, file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
