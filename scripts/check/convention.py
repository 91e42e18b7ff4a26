#!/usr/bin/env python3
"""Checks the calling convention: functions of nn::functional and the forward of modules have neither a bool nor a choice
of strings by position. Such arguments are fields of an options struct (CONTRIBUTING.md, "Calling convention")."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHOICE = re.compile(r"(?<![\w:<])bool\b|(?<![\w:])std::(string|string_view)\b|std::optional<bool>")


def without_comments(text):
    return re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)


def without_structs(text):
    """Blanks the bodies of structs, classes and lambdas, so that fields are not taken for parameters."""
    out, depth, opened = [], 0, []
    for at, c in enumerate(text):
        if c == "{":
            head = text[:at].rsplit(";", 1)[-1].rsplit("}", 1)[-1]
            opened.append(bool(re.search(r"\b(struct|class|enum)\s+[\w:]+[^;()]*$", head)))
            depth += opened[-1]
        elif c == "}" and opened:
            depth -= opened.pop()
        out.append(c if not depth or c == "\n" else " ")
    return "".join(out)


def declarations(text, name):
    """Yields (offset, name, parameters) of the functions whose names match."""
    for m in re.finditer(r"\b(" + name + r")\(", text):
        depth, end = 1, m.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield m.start(), m.group(1), text[m.end() : end - 1]


def problems():
    files = [(p, without_structs, r"[a-z_][a-z0-9_]*") for p in sorted((ROOT / "include/taper/nn/functional").glob("*.h"))]
    files += [(p, lambda t: t, "forward") for p in sorted((ROOT / "include/taper/nn").glob("*.h"))]
    for path, prepare, name in files:
        text = prepare(without_comments(path.read_text()))
        for at, function, parameters in declarations(text, name):
            if not re.search(r"\bTensor\b", parameters):
                continue
            found = CHOICE.search(re.sub(r"SharedFunction<[^;]*>", "", parameters))
            if found:
                line = text.count("\n", 0, at) + 1
                yield f"{path.relative_to(ROOT)}:{line}: {function} takes '{found.group().strip()}' by position"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found))
    sys.exit(bool(found))
