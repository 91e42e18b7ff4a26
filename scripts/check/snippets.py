"""Code in the documents is code of the tree: a block after `<!-- from FILE -->` must occur in that file.

A line `...` alone in the block represents omitted lines. Indentation and empty lines do not count.
"""
import re

import tree

BLOCK = re.compile(r"<!-- from (\S+) -->\n+```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def find(part, lines, start):
    """Index after the first occurrence of the lines `part` at or after `start`, or None."""
    for i in range(start, len(lines) - len(part) + 1):
        if lines[i:i + len(part)] == part:
            return i + len(part)
    return None


def main():
    faults = []
    for path in tree.files(".md"):
        text = tree.read(path)
        for match in BLOCK.finditer(text):
            place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            if not (tree.ROOT / match[1]).is_file():
                faults.append(f"{place}: no such file: {match[1]}")
                continue
            lines, at = lines_of(tree.read(match[1])), 0
            for part in re.split(r"^\s*\.\.\.\s*$", match[2], flags=re.MULTILINE):
                at = find(lines_of(part), lines, at)
                if at is None:
                    faults.append(f"{place}: the block is not what {match[1]} says, from: {lines_of(part)[0]}")
                    break
    tree.finish(faults)


main()
