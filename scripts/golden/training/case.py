"""Case: the fields and tensors of one training case, and the results that replace the expected ones."""
import math
from collections import OrderedDict, defaultdict

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def number(x):
    """A number of the JSON, where strings stand for what JSON cannot write."""
    return float(x) if x in ("nan", "inf", "-inf") else x


def as_json(x):
    if isinstance(x, torch.dtype):
        return NAMES[x]
    if isinstance(x, torch.Tensor):
        return as_json(x.tolist())
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    if isinstance(x, dict):
        return {str(key): as_json(value) for key, value in x.items()}
    return [as_json(value) for value in x] if isinstance(x, (list, tuple)) else x


def options(arguments):
    """Arguments as PyTorch takes them: dtypes, tuples, numbers that are not finite."""
    if isinstance(arguments, dict):
        return {key: DTYPES[value] if key == "dtype" else options(value) for key, value in arguments.items()}
    return tuple(options(value) for value in arguments) if isinstance(arguments, list) else number(arguments)


def describe(x, put, path=""):
    """A nested value with the types of its parts; `put(path, tensor)` stores a tensor and returns its role."""
    if x is None:
        return {"t": "none"}
    if isinstance(x, (bool, int, float, str)):
        return {"t": type(x).__name__, "v": as_json(x)}
    if isinstance(x, torch.Tensor):
        return {"t": "tensor", "dtype": NAMES[x.dtype], "shape": list(x.shape), "role": put(path, x)}
    if isinstance(x, dict):
        name = next((c.__name__ for c in (OrderedDict, defaultdict) if isinstance(x, c)), "Counter")
        items = [[describe(key, put), describe(value, put, f"{path}/{key}")] for key, value in x.items()]
        return {"t": "dict", "class": "dict" if type(x) is dict else name, "items": items}
    return {"t": type(x).__name__, "items": [describe(value, put, f"{path}/{i}") for i, value in enumerate(x)]}


def error_row(row, call):
    """A row of a table of errors with the exception that the call raises."""
    kept = {key: value for key, value in row.items() if key not in ("type", "text")}
    try:
        call()
        return {**kept, "type": None}
    except Exception as error:
        return {**kept, "type": type(error).__name__, "text": str(error)}


class Case:
    """`tensors` maps `<id>/<role>` to the tensors of the family, `by_id` contains its cases."""

    def __init__(self, fields, tensors, by_id):
        self.fields, self.tensors, self.by_id = fields, tensors, by_id
        self.new, self.results, self.inputs = dict(fields), {}, {}

    def __getitem__(self, key):
        return self.fields[key]

    def __setitem__(self, key, value):
        """Replaces an expected field."""
        self.new[key] = value

    def tensor(self, role):
        """An input."""
        self.inputs[role] = self.tensors[f"{self.fields['id']}/{role}"]
        return self.inputs[role].clone()

    def roles(self, prefix):
        """The inputs whose roles start with a prefix, by the rest of the role."""
        return {role[len(prefix):]: self.tensor(role) for role in self.fields["tensors"] if role.startswith(prefix)}

    def put(self, role, tensor):
        """Stores an expected tensor."""
        self.results[role] = tensor.detach().clone()
        return role

    def described(self, key, value):
        """Stores the description of a value, such as a state dict, as the field of that name."""
        self[key] = describe(value, lambda path, tensor: self.put(key + path, tensor))

    def finished(self):
        """(fields, tensors by role). A tensor that was neither read nor computed would be an old value: fails."""
        found = self.inputs | self.results
        order = [role for role in self.fields["tensors"] if role in found] + \
            [role for role in found if role not in self.fields["tensors"]]
        missing = set(self.fields["tensors"]) - set(found)
        assert not missing, f"{self.fields['id']}: no run computes {sorted(missing)}"
        self.new["tensors"] = order
        return self.new, {role: found[role] for role in order}
