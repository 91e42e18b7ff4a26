"""Markdown is wrapped at 120 columns, except tables, code, headings and lines that cannot be broken."""
import re

import tree

WIDTH = 120
# A line is broken at a space outside of code spans and links.
UNBREAKABLE = re.compile(r"(?:``.+?``|`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+")
MARKER = re.compile(r"\s*(?:(?:[-*>]|\d+\.)\s+)*")


def is_too_long(line):
    if len(line) <= WIDTH or line.startswith(("|", "#", "<", "    ")):
        return False
    return len(UNBREAKABLE.findall(line[MARKER.match(line).end():])) > 1


def main():
    faults = []
    for path in tree.documents():
        code = False
        for number, line in enumerate(tree.read(path).splitlines(), 1):
            if line.lstrip().startswith("```"):
                code = not code
            elif not code and is_too_long(line):
                faults.append(f"{path}:{number}: {len(line)} columns, over {WIDTH}")
    tree.finish(faults)


main()
