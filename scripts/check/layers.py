"""Includes go down the layers only, in the order of layers.txt."""
import fnmatch
import os

import tree

OUTER = {"models", "tools", "tests", "bench", "examples"}


def rules():
    table = {"grants": {}, "allow": {}, "public": set(), "open": set(), "kernels": [], "kernels-never": set()}
    for line in tree.read("scripts/check/layers.txt").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, names = line.partition(":")
        if head.startswith("allow "):
            table["allow"].setdefault(head.split()[1], set()).update(names.split())
        elif head in ("public", "open", "kernels-never"):
            table[head] |= set(names.split())
        elif head == "kernels":
            table[head] = names.split()
        else:
            table["grants"][head] = set(names.split())
    return table


def layer_of(path, table):
    """Layer of a file of the tree; "umbrella" for the headers right under include/taper/."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        nested = "/".join(parts[1:3])
        return nested if nested in table["grants"] else parts[1]
    if parts[:2] == ["include", "taper"]:
        return parts[2] if len(parts) > 3 else "umbrella"
    return parts[0] if parts[0] in OUTER else None


def resolve(path, name):
    """The file of the tree that an include means, or None."""
    for base in (os.path.dirname(path), "include", "src"):
        candidate = os.path.normpath(os.path.join(base, name))
        if (tree.ROOT / candidate).is_file():
            return candidate
    return None


def fault_of(path, target, table):
    layer, other = layer_of(path, table), layer_of(target, table)
    public = target.startswith("include/")
    if layer in ("models", "examples"):
        return None if public or other in (layer, "models") else "uses a private header"
    if layer in OUTER or layer in (None, "umbrella") or layer == other:
        return None
    if layer not in table["grants"]:
        return f"layer '{layer}' is not in layers.txt"
    if other == "umbrella":
        return None if target.endswith("/version.h") else "includes an umbrella header"
    kernel = any(fnmatch.fnmatch(path, pattern) for pattern in table["kernels"])
    if kernel and other in table["kernels-never"]:
        return f"a kernel must not see {other}"
    if other not in table["grants"][layer] | table["allow"].get(path, set()):
        return f"{layer} must not depend on {other}"
    if layer in table["public"] and not public and target not in table["open"]:
        return f"{layer} must use public headers of {other}"
    return None


def main():
    table, faults = rules(), []
    for path in tree.files(".h", ".cpp"):
        for kind, name, line in tree.includes(path):
            target = resolve(path, name) if kind == '"' else None
            fault = target and fault_of(path, target, table)
            if fault:
                faults.append(f"{path}:{line}: {fault}: \"{name}\"")
    tree.finish(faults)


main()
