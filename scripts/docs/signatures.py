#!/usr/bin/env python3
"""Writes docs/signatures.md, the table of the functions of nn::functional, from the public headers.

With --check, compares the page with the headers and changes nothing."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/signatures.md"
INNER, OUTER = "taper::nn::functional", "taper"
# Types of parameters that are templates, so that braces do not match them, by their constraint.
CONSTRAINED = [("SizesArgument", "Shape"), ("ShapeArgument", "Shape"), ("IntegerArgument", "IntArg"),
               ("OptionalTensorArgument", "OptionalTensor"), ("convertible_to<OptionalTensorRef>", "OptionalTensor"),
               ("ConvPaddingArgument", "ConvPadding"), ("convertible_to<IntArg>", "IntArg"),
               ("convertible_to<FloatArg>", "FloatArg"), ("NumberArgument", "FloatArg"),
               ("ScalarArgument", "Scalar"), ("convertible_to<ScalarArg>", "Scalar"), ("convertible_to<Dims>", "Dims"),
               ("convertible_to<Scalar>", "Scalar")]
HEADER = """# Signatures

The functions of `nn::functional`, which is also called `F`. Generated from the public headers by
`python3 scripts/docs/signatures.py`.

- Arguments in parentheses are given by position. `{...}` are options: fields of the struct in the second column, which
  are written by name in the order of the column, `F::cross_entropy(x, y, {.weight = w, .label_smoothing = 0.1})`, and
  may be omitted. A further line is another form of the call.
- A function returns a `Tensor` unless `->` names another type. Tensors and lists are passed by reference.
- `OptionalTensor` accepts a tensor, a parameter, an optional of these, and `{}` for none; `OptionalShape` and
  `OptionalNumbers` accept a number, a list in braces, and `{}`. A `Shape` is a list in braces or one number.
  `IntArg` and `FloatArg` are numbers, not `bool`. `Scalar` is any number.
- `inplace` overwrites the input and returns it.

The headers in `include/taper/nn/functional` and, for functions that are also in `taper::`, in `include/taper/ops`,
document each function: formula, shapes, errors. [ops.md](ops.md) lists the ops below them.

"""


class Unreadable(Exception):
    pass


def plain(text):
    """Source without comments, preprocessor lines and lists of fields."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|TAPER_OPTIONS\([^)]*\)", " ", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M)


def split(text, separator):
    """Parts of `text` between separators that are outside of parentheses, braces, templates and strings."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif c in "({[<":
            depth += 1
        elif c in ")}]>" and text[i - 1] != "-":
            depth -= 1
        elif c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def statements(text):
    """(namespace, statement, body or None) of each declaration at namespace scope."""
    spaces, start, parentheses, body, depth, quoted = [], 0, 0, 0, 0, False
    text = plain(text)
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if depth:  # within the body of a function or class
            depth += (c == "{") - (c == "}")
            if depth == 0:
                yield "::".join(spaces), " ".join(text[start:body].split()), text[body + 1:i]
                start = i + 1
        elif c in "()":
            parentheses += 1 if c == "(" else -1
        elif parentheses:
            continue
        elif c == "{":
            space = re.fullmatch(r"(?:inline )?namespace (?:TAPER_API )?([\w:]+)", " ".join(text[start:i].split()))
            if space:
                spaces.append(space[1])
                start = i + 1
            else:
                body, depth = i, 1
        elif c == "}":
            spaces.pop()
            start = i + 1
        elif c == ";":
            if text[start:i].strip():
                yield "::".join(spaces), " ".join(text[start:i].split()), None
            start = i + 1


def without_template(statement):
    """The statement without `template <...>`, and the types that its parameters stand for."""
    types = {}
    while statement.startswith("template"):
        depth, end = 0, None
        for i, c in enumerate(statement):
            depth += (c == "<") - (c == ">" and statement[i - 1] != "-")
            if c == ">" and depth == 0:
                end = i
                break
        for parameter in split(statement[statement.index("<") + 1:end], ","):
            constraint, name = re.fullmatch(r"(.*\S)\s+(\w+)", parameter.split("=")[0].strip()).groups()
            found = [stands for key, stands in CONSTRAINED if key in constraint.replace(" ", "")]
            types[name] = found[0] if found else None
        statement = statement[end + 1:].strip()
    return statement, types


def simple(kind):
    """A type as it is written in the page."""
    kind = re.sub(r"^const (.*)&$", r"\1", kind).strip()
    kind = re.sub(r"(?:::)?taper::(?:detail::)?", "", kind)
    kind = re.sub(r"OptionalTensorRef|std::optional<Tensor>", "OptionalTensor", kind)
    return re.sub(r"^detail::", "", kind).replace("OptionalBracedSizes", "Shape").replace("BracedSizes", "Shape")


def declarators(text):
    """(type, name, default) of each variable or parameter that `text` declares; the default may be None."""
    first, *others = split(text, ",")
    m = re.fullmatch(r"(.*[\w>&*])\s+(?:(\w+))\s*(?:=\s*(.*)|(\{.*\}))?", first, re.S) or \
        re.fullmatch(r"(.*[&*])(\w+)\s*(?:=\s*(.*)|(\{.*\}))?", first, re.S)
    if not m:
        raise Unreadable(text)
    yield m[1], m[2], m[3] or m[4]
    for other in others:
        more = re.fullmatch(r"(\w+)\s*(?:=\s*(.*)|(\{.*\}))?", other, re.S)
        if not more:
            raise Unreadable(text)
        yield m[1], more[1], more[2] or more[3]


class Headers:
    def __init__(self):
        self.functions, self.structs, self.aliases, self.imported = {}, {}, {}, []
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
        if m := re.fullmatch(r"struct (\w+)", statement):
            if m[1].endswith("Options"):
                self.structs[m[1]] = body
        elif m := re.fullmatch(r"using (?:taper|::taper)::(\w+)", statement):
            if space == INNER and not m[1].endswith("Options"):
                self.imported.append(m[1])
        elif m := re.fullmatch(r"using (\w+) = (?:\w+::)*(\w+)", statement):
            self.aliases[m[1]] = m[2]
        elif m := re.match(r"([\w:<>, &]*?[\w>&])\s*\b(\w+)\((.*)\)(?: = delete)?$", statement):
            if m[2].startswith("operator") or statement.endswith("= delete"):
                return
            self.functions.setdefault((space, m[2]), []).append((m[1], m[3], types))
        elif space == INNER and not re.match(r"(?:using|class|struct|enum|extern|namespace)\b", statement):
            raise Unreadable(statement)

    def options_of(self, kind):
        """Declarations of the fields of an options struct; None for another type."""
        name = simple(kind)
        if not name.endswith("Options") or name == "TensorOptions":
            return None
        while name in self.aliases:
            name = self.aliases[name]
        if name not in self.structs:
            raise Unreadable(f"the options {kind}")
        fields = []
        for declaration in split(self.structs[name], ";"):
            if re.search(r"\bFieldsByName\b", declaration):
                continue
            for field, called, default in declarators(declaration):
                empty = default is None or default == "{}"
                fields.append(f"`{simple(field)} {called}" + ("" if empty else f" = {default}") + "`")
        return fields

    def form(self, result, parameters, types):
        """(call, options) of an overload, as the page writes them."""
        arguments, options = [], ""
        for parameter in split(parameters, ","):
            for kind, name, default in declarators(parameter):
                bare = simple(kind)
                if bare in types:
                    bare = types[bare]
                    if bare is None:
                        raise Unreadable(f"the template parameter of {parameter}: add its constraint to CONSTRAINED")
                fields = self.options_of(kind)
                if fields is not None:
                    arguments.append("{...}")
                    options = f"`{bare}`: " + ", ".join(fields)
                else:
                    arguments.append(f"{bare} {name}" + ("" if default is None else f" = {default}"))
        returned = simple(result)
        return f"`({', '.join(arguments)})" + ("" if returned == "Tensor" else f" -> {returned}") + "`", options

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


def page():
    rows = list(Headers().rows())
    if len(rows) < 100:
        sys.exit(f"signatures.py finds {len(rows)} functions only: it misreads the headers")
    return HEADER + "\n".join(["| function | arguments | options |", "|---|---|---|", *rows]) + "\n"


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
