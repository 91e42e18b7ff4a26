"""Contract rules: every id cited in the tree is defined in docs/contract, once, and listed in rules.tsv."""
import collections
import re

import tree

ID = re.compile(r"\bR\d+(?:\.\d+)?-\d+\b")
# Ids open a list item or the first cell of a table row where they are defined; elsewhere they are citations.
DEFINITION = re.compile(r"^\s*(?:[-*] |\d+\. |\| )(R\d+(?:\.\d+)?-\d+)\b", re.MULTILINE)


def main():
    faults = []
    defined = collections.Counter()
    for path in tree.files(".md"):
        if path.startswith("docs/contract/"):
            defined.update(DEFINITION.findall(tree.read(path)))
    listed = [line.split("\t")[0] for line in tree.read("docs/contract/rules.tsv").splitlines()]
    faults += [f"docs/contract: {rule} is defined {n} times" for rule, n in defined.items() if n > 1]
    faults += [f"docs/contract/rules.tsv: {rule} is listed {n} times"
               for rule, n in collections.Counter(listed).items() if n > 1]
    faults += [f"docs/contract/rules.tsv: {rule} is not listed" for rule in sorted(set(defined) - set(listed))]
    faults += [f"docs/contract/rules.tsv: {rule} is not defined" for rule in sorted(set(listed) - set(defined))]
    for path in tree.files(".h", ".cpp", ".inc", ".py", ".md"):
        text = tree.read(path)
        for match in ID.finditer(text):
            if match[0] not in defined:
                faults.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: no such rule: {match[0]}")
    tree.finish(faults)


main()
