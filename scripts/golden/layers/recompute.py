"""Expected values of layer cases: runs each case from its JSON and its input tensors, and stores the results."""
from case_file import references
from layers import new_case
from layers.results import TENSORS, Encoder, expected_references, write_results
from layers.run import run_case

EXPECTED = ("repr", "repr_after", "state_dict_keys", "init", "must_fail", "stage", "exception", "message", *TENSORS)
LONGEST_MESSAGE = 400


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


def complete(case, file, out):
    """Parameters, cotangents, expected values and tolerances of a new case."""
    if case["kind"] in ("error", "init"):
        return recompute(case, file.of(case))
    return new_case.complete(case, file.of(case), file.head["family"])


def finish():
    """Nothing to end."""
