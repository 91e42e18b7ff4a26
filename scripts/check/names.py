"""`using namespace taper; using namespace taper::nn;` leaves no name of the public headers ambiguous.

No identifier that names.txt lists as replaced occurs in code, in Markdown or in the path of a file.
"""
import re

import tree

OUTER, INNER = "taper", "taper::nn"
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\s+(?:TAPER_API\s+)?([\w:]+)$")
# Kinds of declarations at namespace scope, in the order in which they are tried.
DECLARED = [
    ("type", re.compile(r"\busing\s+(\w+)\s*=\s*([\w:]*)")),
    ("imported", re.compile(r"\busing\s+([\w:]+)::(\w+)$")),
    ("namespace", re.compile(r"\bnamespace\s+(\w+)\s*=\s*([\w:]+)")),
    ("concept", re.compile(r"\bconcept\s+(\w+)()\b")),
    ("type", re.compile(r"^(?:enum\s+)?(?:class|struct|union|enum)\s+(?:\[\[.*?\]\]\s*)?(?:[A-Z_]+\s+)?(\w+)()\b")),
    ("function", re.compile(r"(?<![\w:])(?:operator\S+|(\w+))\s*()\(")),
    ("variable", re.compile(r"(\w+)()\s*(?:<.*>)?\s*(?:\[.*\])?\s*(?:=.*)?$", re.S)),
]
TEMPLATE = re.compile(r"^template\s*<")

LITERALS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'',
                      re.DOTALL)


def plain(text):
    """Source without comments, literals and preprocessor lines."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', "0", text)


def without_template(text):
    """A declaration without `template <...>` and `requires` in front of it."""
    while TEMPLATE.match(text):
        depth = 0
        for i, c in enumerate(text):
            depth += (c == "<") - (c == ">" and text[i - 1] != "-")
            if c == ">" and depth == 0:
                text = text[i + 1:].strip()
                break
        else:
            return ""
    return re.sub(r"^requires\b.*?\)\s*(?=[A-Za-z_\[])", "", text, flags=re.S) if text.startswith("requires") else text


def declarations(text):
    """(namespace, statement) of each declaration at namespace scope."""
    scopes, start, parentheses = [], 0, 0
    text = plain(text)
    for i, c in enumerate(text):
        if c in "()":
            parentheses += 1 if c == "(" else -1
        elif parentheses:
            continue
        elif c == "{":
            statement = " ".join(text[start:i].split())
            space = NAMESPACE.match(statement)
            if None not in scopes:
                if not space:
                    yield "::".join(scopes), statement
                path = list(scopes)
                for part in space[1].split("::") if space else ():
                    if path:
                        yield "::".join(path), f"namespace {part} = {'::'.join(path + [part])}"
                    path.append(part)
            scopes.append(space[1] if space else None)
            start = i + 1
        elif c == "}":
            scopes.pop()
            start = i + 1
        elif c == ";":
            if None not in scopes and text[start:i].strip():
                yield "::".join(scopes), " ".join(text[start:i].split())
            start = i + 1


def entity(space, target):
    """The full name that `target` has when it is written in a namespace."""
    return target if target.startswith("taper::") else space + "::" + target


def names():
    """{namespace: {name: ({kind}, {entity})}}; the entities of an alias are itself and its target."""
    found = {OUTER: {}, INNER: {}}

    def add(space, name, kind, meant):
        kinds, entities = found[space].setdefault(name, (set(), set()))
        kinds.add(kind)
        entities.update((space + "::" + name, meant))

    for path in tree.files(".h"):
        if not path.startswith("include/"):
            continue
        text = tree.read(path)
        for space, statement in declarations(text):
            if space not in found:
                continue
            statement = without_template(statement)
            for kind, pattern in DECLARED:
                m = pattern.search(statement)
                if not m:
                    continue
                name, target = m[1], m[2]
                if kind == "imported":
                    name, target = m[2], m[1] + "::" + m[2]
                if name:
                    meant = entity(space, target) if target else space + "::" + name
                    add(space, name, kind, meant)
                break
    return found


def replaced_names():
    """{name: (term to use instead, folders and files where the name is rejected or () for all)} of names.txt."""
    rules = {}
    for line in tree.read("scripts/check/names.txt").splitlines():
        if line and not line.startswith("#"):
            name, use, *where = line.split()
            rules[name] = use.replace(",_", " or "), tuple(where)
    return rules


def is_rejected(path, where):
    return not where or any(path == w or path.startswith(w + "/") for w in where)


def check_text(rules):
    """Faults for replaced names in code and in Markdown. CHANGELOG.md lists old names beside the new ones."""
    words = re.compile(r"(?<!\w)(?:" + "|".join(rules) + r")(?!\w)")
    faults = []
    for path in tree.files(".h", ".cpp", ".inc", ".md"):
        if path == "CHANGELOG.md":
            continue
        lines = code_of_markdown(tree.read(path)) if path.endswith(".md") else plain_lines(tree.read(path))
        for number, line in enumerate(lines, 1):
            for word in words.findall(line):
                use, where = rules[word]
                if is_rejected(path, where):
                    faults.append(f"{path}:{number}: '{word}' is not a term of the field: use {use}")
    return faults


def snake_case(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")


def check_paths(rules):
    """Faults for files and folders with a replaced name: a type within the name, a function as the whole name."""
    rows = []
    for name, (use, where) in rules.items():
        is_type, words = name[0].isupper() and not name.isupper(), snake_case(name).split("_")
        if "_" in snake_case(name) or "-" in name or not where:
            rows.append((name, is_type, words, use, where))
    faults = []
    for path in tree.files(""):
        for part in path.split("/"):
            stem = part.split(".")[0]
            words = stem.split("_")
            for name, is_type, old, use, where in rows:
                if is_type:
                    # indexed_container.h is right although it contains `Indexed`: so does IndexedContainer.
                    found = any(words[i:i + len(old)] == old for i in range(len(words))) \
                        and not set(snake_case(use).split("_")) <= set(words)
                else:
                    found = words == old
                if found and is_rejected(path, where):
                    faults.append(f"{path}: '{stem}' contains '{name}', which is not a term of the field: use {use}")
    return faults


def code_of_markdown(text):
    """Lines of a document that consist of its code, and of words that are identifiers: with an inner capital or an
    underscore."""
    lines, is_code = [], False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith("```")
        is_code ^= is_fence
        spans = re.findall(r"`([^`]*)`", line)
        prose = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line)
        lines.append(line if is_code and not is_fence else
                     " ".join(spans + re.findall(r"\w*(?:[a-z][A-Z]|\w_\w)\w*", prose)))
    return lines


def plain_lines(text):
    """Lines of a source without comments and literals."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return LITERALS.sub(blank, text).split("\n")


def main():
    found, faults = names(), []
    for name in sorted(found[OUTER].keys() & found[INNER].keys() - {"detail"}):
        (kinds, meant), (more_kinds, more_meant) = found[OUTER][name], found[INNER][name]
        if kinds | more_kinds != {"function"} and not meant & more_meant:
            faults.append(f"'{name}' is ambiguous: {', '.join(sorted(meant | more_meant))}")
    if len(found[OUTER]) < 300 or len(found[INNER]) < 150:
        faults.append(f"names.py finds {len(found[OUTER])} and {len(found[INNER])} names only: it misreads the headers")
    rules = replaced_names()
    tree.finish(faults + check_text(rules) + check_paths(rules))


main()
