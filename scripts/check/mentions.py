"""Names and paths in the code spans of the design notes and of CONTRIBUTING.md exist in the tree.

A name with an underscore or an inner capital, a name that is called, such as `find(x)`, and a name that is a span of
its own must occur in the code of a source, comments and messages apart. A path must be a file or folder of the tree, or
the end of one. Spans with a placeholder (`<name>`, `*`, `...`) and fenced blocks are not read.
"""
import functools
import re

import tree

DOCUMENTS = ("docs/design/", "CONTRIBUTING.md")
FOLDERS = ("src/", "include/", "tools/", "tests/", "scripts/", "cmake/", "models/", "examples/", "bench/", ".ci/")
SUFFIXES = (".h", ".cpp", ".inc", ".py", ".sh", ".cmake", ".in", "/run", "/full")
# Names that the sources do not contain, and the reason why a document names them.
FOREIGN = {
    "GOMP_parallel": "function of libgomp, in 0013",
    "OMP_WAIT_POLICY": "variable of libgomp, an option that 0013 rejects",
    "TAPER_THREADS": "option of CMake that 0013 removed",
    "snake_case": "form of identifiers",
    "PascalCase": "form of identifiers",
}

FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL)
PLACEHOLDER = re.compile(r"<[A-Za-z]+>|\*|\.\.\.|\{")
# Comments, and literals with a space, which are texts.
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
SCRIPT_COMMENT = re.compile(r"(?:^|\s)#[^\n]*")
# Folders with a slash, files of a folder, and files alone, which are recognized by their suffix.
PATH = re.compile(r"(?<![\w/.$=-])(?:\./)?((?:\.?[\w-]+/)+(?:[\w.-]*\w)?|[\w.-]*\w\.(?:h|cpp|inc|py|sh|cmake|txt|md|json))"
                  r"(?![\w/<])")
NAME = re.compile(r"(?<![\w.-])(?:[A-Za-z]\w*(?:_\w|[a-z0-9][A-Z])\w*|[A-Za-z]\w+(?=\())")
ALONE = re.compile(r"(?:\w+::)*([A-Za-z]\w+)")
STANDARD = re.compile(r"\bstd::\w+")


def without_text(match):
    return match[0] if match[0].startswith('"') and " " not in match[0] else " "


@functools.cache
def names():
    """All words of the code of the sources, except those of the checks, which list wrong names."""
    found = set()
    for path in tree.files(*SUFFIXES, "CMakeLists.txt", "CMakePresets.json"):
        if path.startswith((*FOLDERS, "CMake")) and not path.startswith("scripts/check/"):
            text, is_cpp = tree.read(path), path.endswith((".h", ".cpp", ".inc"))
            found.update(re.findall(r"\w+", TEXT.sub(without_text, text) if is_cpp else SCRIPT_COMMENT.sub(" ", text)))
    found.update(path.split("/")[-1].split(".")[0] for path in tree.files(""))
    return found


@functools.cache
def paths():
    """All files and folders of the tree, and the ends of their paths. Generated headers have the suffix .in."""
    found = set()
    for path in tree.files(""):
        parts = path.removesuffix(".in").split("/")
        for end in range(1, len(parts) + 1):
            found.update("/".join(parts[start:end]) for start in range(end))
    return found


def is_in_tree(path):
    if path.startswith((".", "_")) and "/" not in path:  # a suffix: .cpu.cpp, _kernel.cpp
        return any(known.endswith(path) for known in paths())
    return path.rstrip("/") in paths()


def check(document):
    """(number of names and paths, faults) of a document."""
    text = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), tree.read(document))
    count, faults = 0, []
    for span in SPAN.finditer(text):
        code = STANDARD.sub(" ", " ".join((span[1] or span[2]).split()))
        if PLACEHOLDER.search(code):
            continue
        place = f"{document}:{tree.line_of(text, span.start())}"
        mentioned = [path for path in PATH.findall(code) if not path.startswith("build/")]
        faults += [f"{place}: no such file or folder: {path}" for path in mentioned if not is_in_tree(path)]
        alone = ALONE.fullmatch(code)
        called = NAME.findall(PATH.sub(" ", code)) + ([alone[1]] if alone else [])
        faults += [f"{place}: no source contains the name {name}" for name in dict.fromkeys(called)
                   if name not in names() and name not in FOREIGN]
        count += len(mentioned) + len(called)
    return count, faults


def main():
    results = [check(document) for document in tree.documents() if document.startswith(DOCUMENTS)]
    count, faults = sum(r[0] for r in results), [fault for r in results for fault in r[1]]
    if count < 200:
        faults.append(f"mentions.py finds {count} names only: it misreads the documents")
    tree.finish(faults)


main()
