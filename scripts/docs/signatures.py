#!/usr/bin/env python3
"""Writes docs/signatures.md, tables of layers, optimizers and functions of nn::functional, from the public headers.

With --check, compares the page with the headers and changes nothing."""
import re
import sys
from pathlib import Path

from declarations import Structs, Unreadable, statements, without_template
from layers import Layers

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/signatures.md"
INNER, OUTER = "taper::nn::functional", "taper"
HEADER = """# Signatures

The layers, optimizers and functions of `nn::functional`, which is also called `F`, with their arguments. Generated from
the public headers by `python3 scripts/docs/signatures.py`.

- Arguments in parentheses are given by position. `{...}` are options: fields of the struct that the row names, which
  are written by name in the order of the row, `F::cross_entropy(x, y, {.weight = w, .label_smoothing = 0.1})`, and may
  be omitted. A further line is another form of the call.
- A function and a call return a `Tensor` unless `->` names another type. Tensors and lists are passed by reference.
- `OptionalTensor` accepts a tensor, a parameter, an optional of these, and `{}` for none; `OptionalShape` and
  `OptionalNumbers` accept a number, a list in braces, and `{}`. A `Shape` is a list in braces or one number, a
  `ConvPadding` also `"same"` or `"valid"`; an `AdaptiveSize` may contain `std::nullopt`, the size of the input.
  `OptionalModule` accepts a module, which is moved, a `std::shared_ptr` of one, and `{}`.
- `IntArg`, `FloatArg` and `ScalarArg` are numbers, not `bool`. `Scalar` is any number.
- `inplace` overwrites the input and returns it. `dtype` and `device` are those of the parameters, a `DType` and a
  `Device`, by default `default_dtype()` and `cpu`.

"""
LAYERS = """## Layers

`nn::Conv2d conv(3, 64, 7, {.stride = 2}); Tensor y = conv(x);`: the second column is the constructor, the last one the
call and other methods. [modules.md](modules.md#containers) describes the containers. The headers in `include/taper/nn`
document formula, shapes, parameters and errors of each layer.
"""
OPTIMIZERS = """## Optimizers

`optim::AdamW opt(net.parameters(), {.lr = 3e-4});`. [optimizers.md](optimizers.md#formulas) lists the formulas, the
headers in `include/taper/optim` document options, state and errors, and [schedulers.md](schedulers.md) lists the
schedulers.
"""
FUNCTIONS = """## Functions

The headers in `include/taper/nn/functional` and, for functions that are also in `taper::`, in `include/taper/ops`,
document each function: formula, shapes, errors. [ops.md](ops.md) lists the ops below them.
"""


class Functions(Structs):
    def __init__(self):
        super().__init__()
        self.functions, self.imported = {}, []
        for folder in ("ops", "nn/functional"):
            for path in sorted((ROOT / "include/taper" / folder).glob("*.h")):
                try:
                    for space, statement, body in statements(path.read_text(encoding="utf-8")):
                        if space in (INNER, OUTER):
                            self.read(space, statement, body)
                except Unreadable as error:
                    sys.exit(f"{path.relative_to(ROOT)}: not a declaration that signatures.py can read: {error}")

    def read(self, space, statement, body):
        statement, types = without_template(statement)
        statement = re.sub(r"^(?:\[\[nodiscard\]\] |inline )*", "", statement)
        if self.read_struct(statement, body):
            return
        if m := re.fullmatch(r"using (?:taper|::taper)::(\w+)", statement):
            if space == INNER and not m[1].endswith("Options"):
                self.imported.append(m[1])
        elif m := re.match(r"([\w:<>, &]*?[\w>&])\s*\b(\w+)\((.*)\)(?: = delete)?$", statement):
            if m[2].startswith("operator") or statement.endswith("= delete"):
                return
            self.functions.setdefault((space, m[2]), []).append((m[1], m[3], types))
        elif space == INNER and not re.match(r"(?:using|class|struct|enum|extern|namespace)\b", statement):
            raise Unreadable(statement)

    def rows(self):
        found = {name: overloads for (space, name), overloads in self.functions.items() if space == INNER}
        for name in self.imported:
            overloads = self.functions.get((OUTER, name))
            if not overloads and name not in self.structs and name not in self.aliases:
                raise Unreadable(f"using taper::{name}: no declaration in include/taper/ops")
            if overloads:
                found[name] = overloads + found.get(name, [])
        for name in sorted(found, key=lambda name: (name.lstrip("_"), name)):
            calls, options = [], []
            for overload in found[name]:
                call, fields = self.form(*overload)
                calls += [call] if call not in calls else []
                options += [fields] if fields and fields not in options else []
            yield f"| `{name}` | {'<br>'.join(calls)} | {'<br>'.join(options)} |"


class Optimizers(Structs):
    def __init__(self):
        super().__init__()
        self.names = []
        for path in sorted((ROOT / "include/taper/optim").glob("*.h")):
            for space, statement, body in statements(path.read_text(encoding="utf-8")):
                if space == "taper::optim" and not self.read_struct(statement, body):
                    self.names += re.findall(r"^class (\w+) : public (?:Optimizer|Adam)$", statement)

    def rows(self):
        for name in sorted(self.names, key=str.lower):
            yield f"| `{name}` | `{name}Options`: {', '.join(self.options_of(name + 'Options'))} |"


def table(columns, rows):
    rows = list(rows)
    if len(rows) < 10:
        sys.exit(f"signatures.py finds {len(rows)} rows only: it misreads the headers")
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows]) + "\n"


def page():
    return HEADER + "\n".join([
        LAYERS, table(["layer", "constructor", "options", "call"], Layers(ROOT).rows()),
        OPTIMIZERS, table(["optimizer", "options"], Optimizers().rows()),
        FUNCTIONS, table(["function", "arguments", "options"], Functions().rows())])


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: signatures.py [--check]")
    try:
        text = page()
    except Unreadable as error:
        sys.exit(f"include/taper: not a declaration that signatures.py can read: {error}")
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/signatures.md differs from the headers: run python3 scripts/docs/signatures.py")


main()
