"""Compares two folders of golden data by value: python scripts/golden/compare.py COMMITTED NEW

Prints a line per file and, for a file that differs, a line per differing entry: how many of its values differ, the
largest difference, and whether tensors of cases are within the tolerances of their cases. JSON, safetensors, event
files and files of torch.save are compared by value, others by bytes. The layout of the text of JSON and the order of
safetensors do not count. Ends with 1 if anything differs.
"""
import json
import math
import os
import sys

import torch
from case_file import references
from safetensors.torch import load_file

SHOWN = 6  # differing entries per file
INSTALLED = {"torch", "versions"}  # entries of a head that name the installed packages


class Differences:
    """Differing values of one entry: their number, the number of all values, the largest distance and an example."""

    def __init__(self, tolerance=None):
        self.differing, self.values, self.largest, self.example = 0, 0, 0.0, ""
        self.tolerance, self.outside = tolerance, 0  # (rtol, atol) of a tensor; elements beyond it

    def add(self, same, distance=math.inf, example="", magnitude=0.0):
        self.values += 1
        if not same:
            self.differing += 1
            self.largest = max(self.largest, distance)
            self.example = self.example or example
            rtol, atol = self.tolerance or (0.0, 0.0)
            self.outside += not distance <= atol + rtol * magnitude

    def __str__(self):
        largest = f", largest difference {self.largest:.2g}" if self.largest < math.inf else f": {self.example}"
        judged = "" if self.tolerance is None else f", {self.outside or 'none'} beyond the tolerance"
        return f"{self.differing} of {self.values} values differ{largest}{judged}"


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def compare_tensors(old, new, found):
    if old.dtype != new.dtype or old.shape != new.shape:
        found.add(False, example=f"{new.dtype} {list(new.shape)} instead of {old.dtype} {list(old.shape)}")
        return
    a, b = old.detach().double().flatten(), new.detach().double().flatten()
    same = (a == b) & (a.signbit() == b.signbit()) | (a.isnan() & b.isnan())
    distance = (a - b).abs().nan_to_num(math.inf, math.inf)
    found.values += a.numel()
    found.differing += int((~same).sum())
    found.largest = max(found.largest, float(distance[~same].max()) if not same.all() else 0.0)
    rtol, atol = found.tolerance or (0.0, 0.0)
    found.outside += int((~same & ~(distance <= atol + rtol * a.abs())).sum())


def compare(old, new, found):
    """Adds the differences of two nested values, which may contain tensors and modules."""
    if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
        compare_tensors(old, new, found)
    elif isinstance(old, torch.nn.Module) and type(old) is type(new):
        compare(str(old), str(new), found)
        compare(dict(old.state_dict()), dict(new.state_dict()), found)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            if key == "sha256" and found.tolerance:
                continue  # of a tensor that is compared with the tolerance
            if key in old and key in new:
                compare(old[key], new[key], found)
            else:
                found.add(False, example=f"{key!r} is {'missing' if key in old else 'new'}")
    elif isinstance(old, (list, tuple)) and type(old) is type(new) and len(old) == len(new):
        for a, b in zip(old, new):
            compare(a, b, found)
    elif is_number(old) and is_number(new):
        same = type(old) is type(new) and (old == new or old != old and new != new)
        distance = abs(old - new) if math.isfinite(old) and math.isfinite(new) else math.inf
        found.add(same, distance, f"{new!r} instead of {old!r}", abs(old))
    else:
        found.add(type(old) is type(new) and old == new, example=f"{str(new)[:60]!r} instead of {str(old)[:60]!r}")


def case_files(old, new):
    """Yields (name, old, new) of the head and of each case of a file of cases, or of each entry of other JSON."""
    if not (isinstance(old, dict) and "cases" in old and isinstance(new, dict) and "cases" in new):
        yield "values", old, new
        return
    yield "head", *({k: v for k, v in x.items() if k != "cases" and k not in INSTALLED} for x in (old, new))
    numbered = [{c.get("id", str(i)): c for i, c in enumerate(x["cases"])} for x in (old, new)]
    for name in dict.fromkeys([*numbered[0], *numbered[1]]):
        yield name, numbered[0].get(name), numbered[1].get(name)


def tolerances_of(path):
    """(rtol, atol) of each case and of each of its tensors, by `<id>` and `<id>/<role>`; none for other files."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        document, found = json.load(file), {}
    for case in document.get("cases", []) if isinstance(document, dict) else []:
        own = case.get("tolerance", case)
        rtol, atol = (own.get("rtol", 0), own.get("atol", 0)) if isinstance(own, dict) else (0, own)
        if "id" not in case:
            continue
        if (rtol, atol) != (0, 0):
            found[case["id"]] = (rtol, atol)
            found.update({f"{case['id']}/{role}": (rtol, atol) for role in case.get("tensors", [])})
        for reference in references(case):
            both = reference.get("rtol", rtol), reference.get("atol", atol)
            found[f"{case['id']}/{reference['t']}"] = both
    return found


def entries(old, new):
    """Yields (name, old, new) of the parts of two files that are reported separately, or nothing for equal bytes."""
    with open(old, "rb") as a, open(new, "rb") as b:
        bytes_old, bytes_new = a.read(), b.read()
    if bytes_old == bytes_new:
        return
    if old.endswith(".json"):
        yield from case_files(json.loads(bytes_old), json.loads(bytes_new))
    elif old.endswith(".safetensors"):
        a, b = load_file(old), load_file(new)
        for name in dict.fromkeys([*a, *b]):
            yield name, a.get(name), b.get(name)
    elif old.endswith(".pt"):
        yield "values", torch.load(old, weights_only=False), torch.load(new, weights_only=False)
    elif "tfevents" in old:
        from kit.events import records  # needs tensorboard
        yield "records", records(old), records(new)
    else:
        yield "bytes", bytes_old, bytes_new


def files_of(folder):
    if os.path.isfile(folder):
        return {""}
    return {os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names}


def compare_paths(committed, new, rounding=None):
    """Prints the differences of two files or folders. `rounding` is the tolerance of files without cases.

    Returns (number of files that differ, number of those that differ beyond the tolerances of their cases).
    """
    wrong, beyond, old_files, new_files = 0, 0, files_of(committed), files_of(new)
    for name in sorted(old_files | new_files):
        old_path, new_path = os.path.normpath(os.path.join(committed, name)), os.path.normpath(os.path.join(new, name))
        if name not in new_files or name not in old_files:
            print(f"  {old_path}: {'not generated' if name in old_files else 'new'}")
            wrong, beyond = wrong + 1, beyond + 1
            continue
        changed, tolerances = {}, {}
        if old_path.endswith((".json", ".safetensors")):
            tolerances = tolerances_of(old_path.replace(".safetensors", ".json"))
        for entry, a, b in entries(old_path, new_path):
            found = Differences(tolerances.get(entry) or (rounding and not tolerances and (rounding, rounding)) or None)
            compare(a, b, found)
            if found.differing:
                changed[entry] = found
        outside = sum(bool(f.outside) for f in changed.values())
        judged = f", {outside or 'none'} beyond the tolerance" if tolerances or rounding else ""
        shown_path = os.path.relpath(old_path)
        print(f"  {shown_path}: " + (f"{len(changed)} entries differ{judged}" if changed else "same values"))
        for entry, found in sorted(changed.items(), key=lambda item: not item[1].outside)[:SHOWN]:
            print(f"    {entry}: {found}")
        if len(changed) > SHOWN:
            worst = max(changed.values(), key=lambda f: f.largest)
            print(f"    ... and {len(changed) - SHOWN} more; the largest difference of all is {worst.largest:.2g}")
        wrong, beyond = wrong + bool(changed), beyond + bool(outside)
    return wrong, beyond


if __name__ == "__main__":
    sys.exit(bool(compare_paths(*sys.argv[1:])[0]))
