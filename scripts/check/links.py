"""Links in the documents lead somewhere: to a file of the tree, and to a heading of it."""
import os
import re

import tree

LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(path):
    """Names GitHub gives the headings of a document."""
    headings = re.findall(r"^#+\s+(.+?)\s*$", FENCE.sub("", tree.read(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def main():
    faults = []
    for path in tree.files(".md"):
        text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), tree.read(path))
        for match in LINK.finditer(text):
            goal, _, anchor = match[1].partition("#")
            line = text.count("\n", 0, match.start()) + 1
            if re.match(r"[a-z]+:", goal):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), goal)) if goal else path
            if not (tree.ROOT / target).exists():
                faults.append(f"{path}:{line}: no such file: {goal}")
            elif anchor and target.endswith(".md") and anchor not in anchors(target):
                faults.append(f"{path}:{line}: no such heading: {match[1]}")
    tree.finish(faults)


main()
