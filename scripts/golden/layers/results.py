"""Results of layer cases as JSON and tensors."""
import math

import torch
from torch.nn.utils.rnn import PackedSequence

from case_file import references
from layers.run import dtype_name

GRADIENTS = ("grad_inputs", "grad_kwinputs", "grad_params")
TENSORS = ("outputs", "state_after", "inputs_after", *GRADIENTS)  # expected fields with references to tensors


class Encoder:
    """Writes results as JSON. Tensors are stored in `tensors` by role."""

    def __init__(self, tensors):
        self.tensors = tensors

    def __call__(self, value, role):
        if isinstance(value, torch.Tensor):
            self.tensors[role] = value.detach().contiguous().clone()
            return {"t": role}
        if isinstance(value, PackedSequence):
            parts = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")
            return {"packed": {part: self(getattr(value, part), f"{role}.{part}") for part in parts}}
        if isinstance(value, (list, tuple)):
            return [self(item, f"{role}.{i}") for i, item in enumerate(value)]
        if isinstance(value, torch.dtype):
            return {"dtype": dtype_name(value)}
        if isinstance(value, float) and not math.isfinite(value):
            return {"float": repr(value)}
        return value

    def by_name(self, values, role):
        return {name: self(value, f"{role}.{name}") for name, value in values.items()}

    def gradients(self, result, prefix):
        return {"grad_inputs": self(result["grad_inputs"], f"{prefix}.in"),
                "grad_kwinputs": self.by_name(result["grad_kwinputs"], f"{prefix}.kw"),
                "grad_params": self.by_name(result["grad_params"], f"{prefix}.param")}


def write_results(case, result, tensors):
    """Adds the results of a run to a case."""
    encode = Encoder(tensors)
    case.update({key: result[key] for key in ("repr", "repr_after", "state_dict_keys") if key in result})
    case["outputs"] = encode(result["outputs"], "out")
    for key in ("inputs_after", "state_after"):
        if key in result:
            case[key] = encode.by_name(result[key], "after")
    if "grad_inputs" in result:
        case.update({key: value for key, value in encode.gradients(result, "gin").items() if value != {}})
    if "double_backward" in result:
        second = result["double_backward"]
        case["double_backward"] |= encode.gradients(second, "ggin")
        case["double_backward"]["grad_grad_output"] = encode(second["grad_grad_output"], "gggout")


def expected_references(case):
    """Every reference to a tensor that a run has to reproduce."""
    for key in TENSORS:
        yield from references(case.get(key))
    for key in (*GRADIENTS, "grad_grad_output"):
        yield from references(case.get("double_backward", {}).get(key))
