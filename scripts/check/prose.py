"""Documents, comments and messages are written in plain technical English.

Rejects headless clauses, home-made idioms and British spellings: every match in Markdown outside of code, in comments
of CMake files, shell scripts and Python, and in string literals of the C++ sources outside of tests, and more than one
matching comment line in 300 of the C++ sources. `prose.py --report` counts the matches per folder, `--list` also prints
them; neither fails.
"""
import ast
import collections
import io
import itertools
import re
import sys
import tokenize

import tree

NAMES = r"(?:initial|normal|optim|serial|recogn|organ|material|parameter|memo|quant|synchron|minim|maxim|summar|general" \
        r"|special|vector|final|custom|token|regular|random|standard|penal|categor|character|local|stabil|priorit)"
BRITISH = rf"(?:colour|behaviour|honour|favour|neighbour|{NAMES}is(?:e|ed|es|er|ers|ing|ation|ations)\b)\w*" \
          r"|(?:de)?centred|centre[sd]?|grey|analys(?:e|ed|es|ing)|catalogue|licence|defence|labell\w+|modell\w+|cancell(?:ed|ing)"
IDIOMS = re.compile(
    r"\bwhat (?:a|the|an|of|is|it|was|that)\b"
    r"|\b(?:is|are) no (?!longer\b)\w+"
    r"|\b(?:kin|anew|nobody|the very|of yours|of ours|of its own|by itself|so many)\b"
    r"|\b(?:lies|stands)\b"
    rf"|\b(?:un|re|de)?(?:{BRITISH})\b", re.IGNORECASE)
HEADLESS = re.compile(r"^(?:What|Gives|Takes|Says|Tells|Told|The same)\b")  # at the start of a comment

FENCE = re.compile(r"^\s*```.*?^\s*```", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"``.+?``|`[^`]*`|\]\([^)]*\)|<!--.*?-->", re.DOTALL)
# Comments and literals of C++; a raw string ends at its own delimiter.
TOKEN = re.compile(r'//(?P<comment>[^\n]*)|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:[^"\\\n]|\\.)*)"'
                   r"|'(?:[^'\\\n]|\\.)+'", re.DOTALL)
EXPECTATION = re.compile(r"(?:expect|options|case): ")  # lines of compile_fail, which are data
PYTORCH = re.compile(r"Unrecognised padding mode")  # texts of PyTorch, which are reproduced to the letter
COMMENT_LINES_PER_MATCH = 300

# Scripts: CMake, shell and Python. The last ones have no suffix.
SCRIPTS = (".cmake", "CMakeLists.txt", ".sh", ".py", "dev", ".ci/run", ".ci/full")
SCRIPT_COMMENT = re.compile(r"(?:^|\s)#(?!!)\s*(.*)")  # "#" also occurs within words of the shell


def check_markdown():
    faults = []
    for path in tree.documents():
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])
        text = CODE_SPAN.sub(blank, FENCE.sub(blank, tree.read(path)))
        for match in IDIOMS.finditer(text):
            faults.append(f"{path}:{tree.line_of(text, match.start())}: '{' '.join(match[0].split())}'")
    return faults


def parts_of(text):
    """(kind, [(line, text)]) of each comment and of each literal; lines of one comment, adjacent literals joined."""
    kind, lines, end = None, [], 0
    for token in TOKEN.finditer(text):
        line, gap = tree.line_of(text, token.start()), text[end:token.start()]
        if token["comment"] is not None:
            found, content = "comment", token["comment"].lstrip("/!<").strip()
            joined = kind == found and not gap.strip() and gap.count("\n") == 1 and not EXPECTATION.match(content)
        else:
            found, content = ("literal", token["text"]) if token["text"] is not None else (None, "")
            joined = kind == found == "literal" and not gap.strip()
        if not joined:
            if kind:
                yield kind, lines
            kind, lines = found, []
        lines.append((line, content))
        end = token.end()
    if kind:
        yield kind, lines


def matches_in(text):
    """(kind, line, matched words or None) of each line of a comment and of each literal that is a text."""
    for kind, lines in parts_of(text):
        separator = " " if kind == "comment" else ""
        whole = separator.join(content for _, content in lines)
        if kind == "literal":
            if " " in whole:
                found = IDIOMS.search(PYTORCH.sub("", whole))
                yield kind, lines[0][0], found and found[0]
            continue
        if EXPECTATION.match(whole):
            continue
        starts = [match.start() for match in IDIOMS.finditer(whole)]
        offset = 0
        for line, content in lines:
            found = HEADLESS.match(content)
            words = found and found[0]
            for start in starts:
                if not words and offset <= start < offset + len(content) + 1:
                    words = IDIOMS.match(whole, start)[0]
            yield kind, line, words
            offset += len(content) + 1


def python_comments(text):
    """(line, text) of each comment and of each line of a docstring."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            yield token.start[0], token.string.lstrip("# ")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            for offset, line in enumerate(node.body[0].value.value.split("\n")):
                yield node.body[0].lineno + offset, line.strip()


def script_comments(path):
    """(line, text) of each line of a comment of a script. Adjacent lines are not joined."""
    text = tree.read(path)
    if path.endswith(".py"):
        yield from python_comments(text)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if match := SCRIPT_COMMENT.search(line):
            yield number, match[1]


def script_matches():
    """(path, kind, line, matched words or None) of each line of a comment of a script."""
    for path in tree.files(*SCRIPTS):
        for number, line in script_comments(path):
            found = HEADLESS.match(line) or IDIOMS.search(line)
            yield path, "comment", number, found and found[0]


def check_scripts():
    matches = list(script_matches())
    faults = [f"{path}:{line}: '{words}'" for path, _, line, words in matches if words]
    if len(matches) < 300:
        faults.append(f"prose.py finds {len(matches)} comment lines of scripts only: it misreads them")
    return faults


def source_matches():
    """(path, kind, line, matched words or None) for all sources; literals of tests are expected texts."""
    for path in tree.files(".h", ".cpp", ".inc"):
        for kind, line, words in matches_in(tree.read(path)):
            if kind == "comment" or not path.startswith("tests/"):
                yield path, kind, line, words


def check_sources():
    faults, comments, matching = [], 0, 0
    for path, kind, line, words in source_matches():
        if kind == "comment":
            comments, matching = comments + 1, matching + bool(words)
        elif words:
            faults.append(f"{path}:{line}: '{words}'")
    if matching * COMMENT_LINES_PER_MATCH > comments:
        faults.append(f"{matching} of {comments} comment lines match, at most one in {COMMENT_LINES_PER_MATCH} may: "
                      "see prose.py --list")
    return faults


def report(show):
    counts = collections.Counter()
    for path, kind, line, words in itertools.chain(source_matches(), script_matches()):
        parts = path.split("/")
        folder = "/".join(parts[:3] if parts[0] == "include" else parts[:2])
        counts[folder, kind] += 1
        if words:
            counts[folder, kind, "matching"] += 1
            if show:
                print(f"{path}:{line}: {kind}: '{words}'")
    total = collections.Counter()
    print(f"{'folder':32} {'comment lines':>14} {'matching':>9} {'literals':>9} {'matching':>9}")
    for folder in sorted({key[0] for key in counts}):
        row = [counts[folder, kind, *more] for kind in ("comment", "literal") for more in ((), ("matching",))]
        total.update(dict(enumerate(row)))
        print(f"{folder:32} {row[0]:>14} {row[1]:>9} {row[2]:>9} {row[3]:>9}")
    print(f"{'total':32} {total[0]:>14} {total[1]:>9} {total[2]:>9} {total[3]:>9}")


if {"--report", "--list"} & set(sys.argv[1:]):
    report("--list" in sys.argv[1:])
else:
    tree.finish(check_markdown() + check_scripts() + check_sources())
