"""Draws random single-line faults: changed comparisons, constants, signs and negations, and dropped statements."""
import random
import re

import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "check"))
import tree  # noqa: E402

SWAPPED = {"<=": "<", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", " < ": " <= ", " > ": " >= "}
NOT_CODE = re.compile(r"\s*(?:#|//|using |namespace|template|static_assert|class |struct |enum |case |public:|private:)")
STATEMENT = re.compile(r"\s+(?!return|using|const|auto|static|delete|friend|if|for|while|else|case|goto)"
                       r"[\w:>.\-\[\]()*]+(?:\(.*\)|\s*[-+*|&^]?= .*);\s*$")


def code_of(line):
    """Blanks literals and removes the comment, so that offsets stay valid."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: '"' + "_" * (len(m[0]) - 2) + '"', line)
    return line.split("//")[0]


def faults_in(line):
    """Yields (begin, end, replacement) of each fault of a line."""
    code = code_of(line)
    if NOT_CODE.match(code):
        return
    for m in re.finditer(r"<=(?!>)|>=|==|!=|&&|\|\|| < | > ", code):
        yield m.start(), m.end(), SWAPPED[m[0]]
    for m in re.finditer(r"(?<![\w.\"'])\d+(?![\w.'])", code):
        yield m.start(), m.end(), str(int(m[0]) + 1)
        if int(m[0]) > 0:
            yield m.start(), m.end(), str(int(m[0]) - 1)
    for m in re.finditer(r" [+-] (?=[\w(])", code):
        yield m.start(), m.end(), " - " if "+" in m[0] else " + "
    for m in re.finditer(r"\btrue\b|\bfalse\b", code):
        yield m.start(), m.end(), "false" if m[0] == "true" else "true"
    for m in re.finditer(r"(?<=[( ])!(?=[\w(])", code):
        yield m.start(), m.end(), ""
    if STATEMENT.match(code) and code.count("(") == code.count(")"):
        yield len(line) - len(line.lstrip()), len(line), ";"


def draw(seed):
    """Yields random faults as (path, line number from 1, old line, new line), each line at most once."""
    lines = []
    for path in tree.files(".h", ".cpp", ".inc"):
        if path.startswith("src/") and not path.endswith(".samples.cpp"):
            lines += [(path, n, line) for n, line in enumerate(tree.read(path).splitlines(), 1)]
    chance = random.Random(seed)
    chance.shuffle(lines)
    for path, n, line in lines:
        if options := list(faults_in(line)):
            begin, end, new = chance.choice(options)
            yield path, n, line, line[:begin] + new + line[end:]
