"""Expected values of distributed cases: runs each case on all its ranks, and stores the results."""
import torch

from case_file import references
from dist import ranks
from dist.case import Case
from kit import values
from kit.recompute import encode_expected

TIMES = 16  # a tolerance is this many times the distance between the runs in float32 and in float64
SMALLEST = 1e-12  # the tolerance of zeros
WITHOUT_RANKS = ("elastic", "checkpoint")  # families whose cases run in one process, which starts others if needed


def same(a, b):
    if isinstance(a, torch.Tensor):
        return (isinstance(b, torch.Tensor) and a.dtype == b.dtype and a.shape == b.shape
                and bool((values.bits(a) == values.bits(b)).all()))
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or a != a and b != b


def is_plain(x):
    return x is None or isinstance(x, (bool, int, float, str))


def merged(results):
    """One value of the results of all ranks, with {"by_rank": [...]} where they differ."""
    first, alike = results[0], all(same(results[0], result) for result in results)
    if isinstance(first, torch.Tensor):
        return first if alike else {"by_rank": results}
    if isinstance(first, values.Data) and alike:
        return first
    if isinstance(first, dict) and not isinstance(first, values.Data) and \
            all(isinstance(result, dict) and list(result) == list(first) for result in results):
        return {key: merged([result[key] for result in results]) for key in first}
    if type(first) is list and all(type(result) is list and len(result) == len(first) for result in results) and \
            (alike or not all(is_plain(item) for result in results for item in result)):
        return [merged(list(items)) for items in zip(*results)]
    return first if alike else {"by_rank": results}


def run(family, case, tensors, double=False):
    """(result, raised exception or None) of each rank."""
    if family in WITHOUT_RANKS:
        here = Case(case, tensors)
        return [(here.run(family), here.raised)]
    return ranks.run(case["world"], family, case, tensors, double)


def short(role):
    """Roles without the words that are in every path."""
    return role.replace(".by_rank.", ".r").replace("expected.", "e.", 1)


def recompute(case, file, double=False):
    """Returns the case and its tensors with new expected values."""
    own = file.of(case)
    inputs = {r["t"]: own[r["t"]] for key, value in case.items() if key != "expected" for r in references(value)}
    keyed = {f"{case['id']}/{role}": tensor for role, tensor in inputs.items()}
    answers = run(file.head["family"], case, keyed, double)
    result = merged([answer[0] for answer in answers])
    expected, tensors = encode_expected(result, inputs, case.get("expected"), short)
    new = {**case, "expected": expected, "tensors": [*inputs, *tensors]}
    raised = [answer[1] for answer in answers]
    if any(raised):
        new["raised"] = {"by_rank": raised} if any(r != raised[0] for r in raised) else raised[0]
    return new, inputs | tensors


def recompute_file(file, out):
    for case in list(file.cases):
        file.replace(case, *recompute(case, file))


def complete(case, file, out):
    """As `recompute`, for a new case: its tensors have tolerances that follow from a run in float64."""
    new, tensors = recompute(case, file)
    if file.head["family"] in WITHOUT_RANKS or "error" in case["kind"] or case.get("exact"):
        new.pop("exact", None)
        return new, tensors
    _, exact = recompute(case, file, double=True)
    for reference in references(new["expected"]):
        tensor, other = tensors[reference["t"]], exact.get(reference["t"])
        if tensor.is_floating_point() and tensor.numel() and other is not None and other.shape == tensor.shape:
            scale, noise = float(tensor.abs().max()), float((tensor.double() - other.double()).abs().max())
            atol = max(TIMES * noise, 8 * torch.finfo(tensor.dtype).eps * scale) or SMALLEST
            reference.update(rtol=0, atol=float(f"{atol:.1e}"))
    return new, tensors


def finish():
    ranks.stop()
