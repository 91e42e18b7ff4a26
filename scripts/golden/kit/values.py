"""Values of kit cases and distributed cases: JSON to Python values and back."""

import base64
import hashlib
import math
from collections import namedtuple
from collections.abc import Mapping

import torch

TAGS = {
    "t": str,
    "float": str,
    "dtype": str,
    "dict": list,
    "tuple": list,
    "namedtuple": str,
    "bytes": str,
    "long": dict,
}
EXTRA = {"t": {"of", "rtol", "atol", "equal", "outliers"}, "namedtuple": {"fields"}}
LONG = 400  # longer lists of integers are written as length, head and hash


def dtype_name(d):
    return str(d)[6:]


def bits(t):
    t = t.detach().contiguous()
    return (
        t.view({8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.uint8}[t.element_size()])
        if t.is_floating_point() or t.dtype == torch.bool
        else t
    )


def long_form(ints):
    return {
        "count": len(ints),
        "head": list(ints[:12]),
        "sha256": hashlib.sha256(torch.tensor(ints, dtype=torch.int64).numpy().tobytes()).hexdigest(),
    }


def tag_of(v):
    """The tag of a JSON object that represents a value, or None for a record, which may have a key `dtype` as well."""
    for tag, kind in TAGS.items():
        if tag in v and isinstance(v[tag], kind) and set(v) <= {tag} | EXTRA.get(tag, set()):
            return tag
    return None


def decode(v, tensor):
    """A JSON value as a Python value; `tensor(role, of)` returns tensors."""
    if isinstance(v, list):
        return [decode(x, tensor) for x in v]
    if not isinstance(v, dict):
        return v
    tag = tag_of(v)
    if tag is None:
        return {k: decode(x, tensor) for k, x in v.items()}
    if tag == "t":
        return tensor(v["t"], v.get("of"))
    if tag == "float":
        return float(v["float"])
    if tag == "dtype":
        return getattr(torch, v["dtype"])
    if tag == "dict":
        return {decode(k, tensor): decode(x, tensor) for k, x in v["dict"]}
    if tag == "tuple":
        return tuple(decode(x, tensor) for x in v["tuple"])
    if tag == "namedtuple":
        names = [k for k, _ in v["fields"]]
        return namedtuple(v["namedtuple"], names)(*(decode(x, tensor) for _, x in v["fields"]))
    if tag == "bytes":
        return base64.b64decode(v["bytes"])
    raise ValueError(f"a value of tag {tag} cannot be an input")


class Data(dict):
    """A dict that is a value, such as a sample, and not a record of the format."""


def encode(x, put, path=""):
    """The inverse of `decode`; `put(path, tensor)` stores a tensor and returns its reference."""
    if x is None or isinstance(x, (bool, str)):
        return x
    if isinstance(x, int):
        return x
    if isinstance(x, float):
        return x if math.isfinite(x) else {"float": "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"}
    if isinstance(x, torch.Tensor):
        return put(path, x)
    if isinstance(x, torch.dtype):
        return {"dtype": dtype_name(x)}
    if isinstance(x, bytes):
        return {"bytes": base64.b64encode(x).decode()}
    if isinstance(x, Data):
        return {"dict": [[encode(k, put, path), encode(v, put, f"{path}.{k}")] for k, v in x.items()]}
    if isinstance(x, Mapping):
        assert all(isinstance(k, str) for k in x), x
        record = {k: encode(v, put, f"{path}.{k}" if path else k) for k, v in x.items()}
        assert not tag_of(record), f"{record} reads as another value"
        return record
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return {
            "namedtuple": type(x).__name__,
            "fields": [[k, encode(v, put, f"{path}.{k}")] for k, v in zip(x._fields, x)],
        }
    if isinstance(x, tuple):
        return {"tuple": [encode(v, put, f"{path}.{i}") for i, v in enumerate(x)]}
    if isinstance(x, list):
        if len(x) > LONG and all(type(v) is int for v in x):
            return {"long": long_form(x)}
        return [encode(v, put, f"{path}.{i}" if path else str(i)) for i, v in enumerate(x)]
    raise TypeError(f"not expressible as data: {type(x)} at {path}")
