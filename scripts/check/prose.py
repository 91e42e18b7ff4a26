"""Documents are written in plain technical English: no headless clauses, home-made idioms or British spellings.

Checks Markdown outside of code. `prose.py --report` counts matches in the comments and string literals of the sources
per folder, `--list` also prints them; neither fails.
"""
import collections
import re
import sys

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


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def check_markdown():
    faults = []
    for path in tree.documents():
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])
        text = CODE_SPAN.sub(blank, FENCE.sub(blank, tree.read(path)))
        for match in IDIOMS.finditer(text):
            faults.append(f"{path}:{line_of(text, match.start())}: '{' '.join(match[0].split())}'")
    tree.finish(faults)


def matches_in(text):
    """(kind, line, matched words or None) of each line of a comment and of each literal."""
    for token in TOKEN.finditer(text):
        if token["comment"] is not None:
            comment = token["comment"].lstrip("/!<").strip()
            found = HEADLESS.match(comment) or IDIOMS.search(comment)
            yield "comment", line_of(text, token.start()), found and found[0]
        elif token["text"] is not None and " " in token["text"]:
            found = IDIOMS.search(token["text"])
            yield "literal", line_of(text, token.start()), found and found[0]


def report(show):
    counts = collections.Counter()
    for path in tree.files(".h", ".cpp", ".inc"):
        parts = path.split("/")
        folder = "/".join(parts[:3] if parts[0] == "include" else parts[:2])
        for kind, line, words in matches_in(tree.read(path)):
            if kind == "literal" and parts[0] == "tests":
                continue  # texts that tests expect
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
    check_markdown()
