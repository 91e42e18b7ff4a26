"""Expected values of kit cases: runs each case from its JSON and its input tensors, and stores the results."""
import importlib

import torch

from case_file import references
from kit import case as kit_case
from kit import values


def run(family, case):
    """Runs a case and returns the value that `expected` describes."""
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    kit_case.RAISED.clear()
    return getattr(importlib.import_module(f"kit.{family}"), "kind_" + case.fields["kind"])(case)


def encode_expected(result, inputs, old, rename=str):
    """(JSON of a result, its tensors by role). References keep the tolerances of the old expectation."""
    tolerances = {r["t"]: {k: v for k, v in r.items() if k not in ("t", "of")} for r in references(old)}
    tensors = {}

    def put(path, tensor):
        role = rename("expected." + path)
        while role in inputs or role in tensors:
            role += "_"
        tensors[role] = tensor
        return {"t": role, **tolerances.get(role, {})}
    return values.encode(result, put), tensors


def recompute(case, file, out):
    """Returns the case and its tensors with new expected values."""
    result = run(file.head["family"], kit_case.Case(case, file.tensors, out))
    own = file.of(case)
    inputs = {r["t"]: own[r["t"]] for key, value in case.items() if key != "expected"
              for r in references(value) if "of" not in r}
    expected, tensors = encode_expected(result, inputs, case.get("expected"))
    raised = kit_case.RAISED if "error" in case["kind"] else {}
    return {**case, "expected": expected, **raised, "tensors": [*inputs, *tensors]}, inputs | tensors


def recompute_file(file, out):
    for case in list(file.cases):
        if case["kind"] != "data":  # tensors for other cases
            file.replace(case, *recompute(case, file, out))


def complete(case, file, out):
    """As `recompute`, for a new case, whose tolerance is stated in the draft."""
    return recompute(case, file, out)


def finish():
    """Nothing to end."""
