"""Expected values of layer cases: runs each case from its JSON and its input tensors, and stores the results."""
import math

import torch
from torch.nn.utils.rnn import PackedSequence

from case_file import references
from layers.run import dtype_name, run_case

GRADIENTS = ("grad_inputs", "grad_kwinputs", "grad_params")
TENSORS = ("outputs", "state_after", "inputs_after", *GRADIENTS)  # expected fields with references to tensors
EXPECTED = ("repr", "repr_after", "state_dict_keys", "init", "must_fail", "stage", "exception", "message", *TENSORS)
LONGEST_MESSAGE = 400


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


def without_results(case):
    """The case without expected values and tolerances."""
    inputs = {key: value for key, value in case.items() if key not in (*EXPECTED, "rtol", "atol")}
    if "double_backward" in case:
        inputs["double_backward"] = {k: v for k, v in case["double_backward"].items() if k.startswith("v_")}
    return inputs


def recompute(case, tensors):
    """Returns the case and its tensors with new expected values; the tolerances are those of the old ones."""
    new = without_results(case)
    kept = {reference["t"]: tensors[reference["t"]] for reference in references(new)}
    result = run_case(new, kept)
    if case["kind"] == "error":
        result["message"] = result.get("message", "").split("\nException raised from")[0][:LONGEST_MESSAGE]
        return new | result, kept
    if case["kind"] == "init":
        new |= {key: result[key] for key in ("repr", "state_dict_keys")}
        new["init"] = Encoder(kept).by_name(result["init"], "init")
    else:
        write_results(new, result, kept)
    tolerances = {r["t"]: r["atol"] for r in expected_references(case) if "atol" in r}
    for reference in expected_references(new):
        if reference["t"] in tolerances:
            reference["atol"] = tolerances[reference["t"]]
    new |= {key: case[key] for key in ("rtol", "atol") if key in case}
    return new, kept


def recompute_file(file, out):
    for case in list(file.cases):
        file.replace(case, *recompute(case, file.of(case)))


def finish():
    """Nothing to end."""
