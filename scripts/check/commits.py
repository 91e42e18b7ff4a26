"""Commit subjects are `scope: Imperative summary`, at most 72 characters, since the rule was introduced.

The rule applies by date, so that a shallow clone checks the commits that it has. Without a history there is nothing to
check.
"""
import re
import subprocess

import tree

SINCE = 1795398000  # seconds since 1970: November 23, 2026
LIMIT = 72
SUBJECT = re.compile(r"(autograd|backend|bench|build|ci|cli|core|cpu|data|dist|distributions|docs|examples|graph|io|metrics"
                     r"|models|nn|ops|optim|tests|tools|train): [A-Z].*[^.]")


def main():
    log = subprocess.run(["git", "log", "--no-merges", "--format=%h %ct %s"], cwd=tree.ROOT, capture_output=True,
                         text=True)
    faults = []
    for line in log.stdout.splitlines() if log.returncode == 0 else []:
        commit, date, subject = line.split(" ", 2)
        if int(date) < SINCE:
            continue
        if not SUBJECT.fullmatch(subject):
            faults.append(f"{commit}: expected 'scope: Imperative summary', got '{subject}'")
        if len(subject) > LIMIT:
            faults.append(f"{commit}: the subject has {len(subject)} characters, over {LIMIT}")
    tree.finish(faults)


main()
