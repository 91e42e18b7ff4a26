"""Reads the constructors and calls of the layers from the headers of nn."""
import re

from declarations import Structs, Unreadable, closing, declarators, split, statements, without_template

SPACES = ("taper", "taper::nn", "taper::nn::functional")
CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict")
METHODS = ("forward", "forward_with_indices", "log_prob", "predict")
# PyTorch's names of positional parameters. C++ names must differ from those of members.
NAMES = {"in": "in_channels", "out": "out_channels", "kernel": "kernel_size", "features": "num_features",
         "counts": "padding", "fill": "value", "norm": "norm_type", "sizes": "output_size", "image_size": "output_size",
         "inputs": "input_size", "hidden": "hidden_size", "count": "num_layers", "final_norm": "norm"}
NAMES_OF = {"NonDynamicallyQuantizableLinear": {"in": "in_features", "out": "out_features"}}
# Forms of a call that a macro declares, beside those of forward.
CALLS = {"TAPER_DETAIL_CONV_TRANSPOSE_CALLS": "`(Tensor input, Shape output_size)`",
         "TAPER_DETAIL_MAX_UNPOOL_CALLS": "`(Tensor input, Tensor indices, Shape output_size)`"}


def members(text):
    """(access, statement) of each member of a class, without bodies and labels; macros have the access "macro"."""
    access, start, parentheses, depth, body = "private", 0, 0, 0, None
    for i, c in enumerate(text):
        parentheses += (c == "(") - (c == ")")
        if parentheses:
            continue
        if c == "{" and depth == 0:
            body = i
        depth += (c == "{") - (c == "}")
        if depth or c not in ";}":
            continue
        statement = " ".join(text[start:i if c == ";" else body].split())
        start = i + 1
        while m := re.match(r"(?:(public|protected|private)\s*:(?!:)|(TAPER_\w+)\([^()]*\))\s*", statement):
            if m[2]:
                yield "macro", m[2]
            access, statement = m[1] or access, statement[m.end():]
        if statement:
            yield access, statement


def add(cells, cell):
    if cell and cell not in cells:
        cells.append(cell)


class Layers(Structs):
    def __init__(self, root):
        super().__init__()
        self.classes = {}
        include = root / "include/taper"
        for folder in ("ops", "nn/functional", "nn/detail", "nn"):
            for path in sorted((include / folder).glob("*.h")):
                for space, statement, body in statements(path.read_text(encoding="utf-8")):
                    if space in SPACES and not self.read_struct(statement, body) and body:
                        self.read_class(statement, body)
        self.names = re.findall(r"^LAYER\((\w+)\)", (root / "src/nn/registry/layers.inc").read_text(), re.M)

    def read_class(self, statement, body):
        if m := re.fullmatch(r"class (\w+)(?: final)? : (.*)", statement):
            base = re.search(r"Layer<\w+, (\w+)", m[2]) or re.search(r"public (\w+)(?!<)\b", m[2])
            self.classes[m[1]] = (base and base[1], list(members(body)))

    def renamed(self, name, parameters, initializers):
        """Parameters with PyTorch's names, which are those of the members and fields that they initialize."""
        names = NAMES | NAMES_OF.get(name, {})
        names.update((parameter, member) for member, parameter in re.findall(r"\b([a-z]\w*)\((\w+)\)", initializers))
        if m := re.search(r"(\w+Options)\{([^{}]*)\}", initializers):
            names.update((value, field[1]) for field, value in zip(self.fields(m[1]), split(m[2], ",")))
            names.update((value, field) for field, value in re.findall(r"\.(\w+) = (\w+)", m[2]))
        renamed = []
        for parameter in split(parameters.replace("&&", ""), ","):
            for kind, given, default in declarators(parameter):
                new = names.get(given, given) if kind != "Norm" else given
                renamed.append(f"{kind} {new}" + ("" if default is None else f" = {default}"))
        return ", ".join(renamed)

    def constructors(self, name):
        """(parameters, types) of each public constructor; parameters are "..." if any are accepted."""
        inherits = ("public", "using Layer::Layer") in self.classes[name][1]
        source = self.classes[name][0] if inherits else name
        for access, statement in self.classes[source][1]:
            statement, types = without_template(statement)
            m = re.match(rf"(?:explicit )?{source}\(", statement)
            if access != "public" or not m:
                continue
            end = closing(statement, m.end() - 1)
            if re.search(r"=\s*(?:default|delete)$", statement) or "NoOptions" in statement:
                continue
            if "..." in statement[:end]:
                yield "...", {}
            else:
                modules = {parameter: kind or "Module" for parameter, kind in types.items()}
                yield self.renamed(name, statement[m.end():end], statement[end + 1:]), modules

    def methods(self, name, wanted):
        """(result, parameters, types) of the public methods `wanted`, of the first class that has them."""
        while name in self.classes:
            base, found = self.classes[name]
            states = dict(m for _, s in found for m in re.findall(r"^using (State) = (.*)$", s))
            overloads = []
            for access, statement in found:
                statement, types = without_template(statement)
                statement = re.sub(r"\bState\b", lambda m: states.get(m[0], m[0]), statement)
                m = re.match(rf"(?:static )?([\w:<>, ]*?[\w>&])\s+{wanted}\((.*)\)", statement)
                if access == "public" and m:
                    overloads.append((m[1], m[2], types))
            if overloads:
                return overloads
            name = base
        return []

    def macros(self, name):
        """Names of the macros in the class and its bases."""
        while name in self.classes:
            yield from (statement for access, statement in self.classes[name][1] if access == "macro")
            name = self.classes[name][0]

    def row(self, name):
        """The cells of a layer: constructors, their options, calls with their options."""
        forms, options, calls, call_options = [], [], [], []
        for parameters, types in self.constructors(name):
            form, fields = ("`(...)`", "") if parameters == "..." else self.form(None, parameters, types)
            add(forms, form)
            add(options, fields)
        for _, parameters, types in self.methods(name, "from_pretrained"):
            form, fields = self.form(None, parameters, types)
            add(forms, form.replace("`", f"`{name}::from_pretrained", 1))
            add(options, fields)
        for method in METHODS:
            for overload in self.methods(name, method):
                form, fields = self.form(*overload)
                add(calls, form if method == "forward" else form.replace("`", f"`{method}", 1))
                add(call_options, fields)
        if not calls:
            raise Unreadable(f"the class {name}: no forward")
        for macro in self.macros(name):
            add(calls, CALLS.get(macro))
        return "<br>".join(forms or ["`()`"]), "<br>".join(options), "<br>".join(calls + call_options)

    def rows(self):
        """Rows of the table; layers that differ in the number of dimensions only share one."""
        rows, last = [], None
        for name in sorted(set(self.names) - set(CONTAINERS), key=str.lower):
            if name not in self.classes:
                raise Unreadable(f"layers.inc: no class {name} in include/taper/nn")
            key = re.sub(r"(?:[123]d)?$", "", name), self.row(name)
            if key == last:
                rows[-1].append(name)
            else:
                rows.append([name])
            last = key
        for names in rows:
            yield f"| {', '.join(f'`{name}`' for name in names)} | {' | '.join(self.row(names[0]))} |"
