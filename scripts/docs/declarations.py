"""Reads declarations of C++ headers as the tables of the documents need them."""
import re

# Types of parameters that are templates, so that braces do not match them, by their constraint.
CONSTRAINED = [("SizesArgument", "Shape"), ("ShapeArgument", "Shape"), ("IntegerArgument", "IntArg"),
               ("OptionalTensorArgument", "OptionalTensor"), ("convertible_to<OptionalTensorRef>", "OptionalTensor"),
               ("ConvPaddingArgument", "ConvPadding"), ("convertible_to<IntArg>", "IntArg"),
               ("convertible_to<FloatArg>", "FloatArg"), ("NumberArgument", "FloatArg"),
               ("ScalarArgument", "Scalar"), ("convertible_to<ScalarArg>", "Scalar"), ("convertible_to<Dims>", "Dims"),
               ("convertible_to<Scalar>", "Scalar"), ("ModuleArgument", "Module")]


class Unreadable(Exception):
    pass


def closing(text, start):
    """Index of the parenthesis that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    raise Unreadable(text)


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
    if statement.startswith("requires("):
        statement = statement[closing(statement, statement.index("(")) + 1:].strip()
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


class Structs:
    """Options structs by name, and how declarations that use them are written."""

    def __init__(self):
        self.structs, self.aliases = {}, {}

    def read_struct(self, statement, body):
        """True if the statement declares a struct or an alias."""
        if m := re.fullmatch(r"struct (\w+)", statement):
            if m[1].endswith("Options"):
                self.structs[m[1]] = body
            return True
        if m := re.fullmatch(r"using (\w+) = (?:\w+::)*(\w+)", statement):
            self.aliases[m[1]] = m[2]
            return True
        return False

    def fields(self, kind):
        """(type, name, default) of each field of an options struct; None for another type."""
        name = simple(kind).rsplit("::", 1)[-1]
        if not name.endswith("Options") or name == "TensorOptions":
            return None
        while name in self.aliases:
            name = self.aliases[name]
        if name not in self.structs:
            raise Unreadable(f"the options {kind}")
        body = re.sub(r"\busing [^;]*;", "", self.structs[name])
        body = body.replace("TAPER_FACTORY_OPTIONS", "std::optional<DType> dtype; std::optional<Device> device;")
        return [field for declaration in split(body, ";") if "FieldsByName" not in declaration
                for field in declarators(declaration)]

    def options_of(self, kind):
        """The fields of an options struct as the page writes them; None for another type."""
        fields = self.fields(kind)
        if fields is None:
            return None
        written = []
        for field, name, default in fields:
            if name in ("dtype", "device") and default is None:
                written.append(f"`{name}`")
            else:
                written.append(f"`{simple(field)} {name}" + ("" if default in (None, "{}") else f" = {default}") + "`")
        return written

    def form(self, result, parameters, types):
        """(call, options) of an overload, as the page writes them; `result` is None for a constructor."""
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
        returned = "Tensor" if result is None else simple(result)
        return f"`({', '.join(arguments)})" + ("" if returned == "Tensor" else f" -> {returned}") + "`", options
