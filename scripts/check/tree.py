"""Code that the checks share: the files of the tree, their includes, and the report of a check."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def files(*suffixes):
    """Paths relative to the root of tracked and new files with one of the suffixes."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(p for p in listed if p.endswith(suffixes) and (ROOT / p).is_file())


def documents():
    """Markdown files to which the rules of form and language apply."""
    return files(".md")


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def line_of(text, offset):
    """The number of the line that contains an offset."""
    return text.count("\n", 0, offset) + 1


def includes(path):
    """(kind, name, line) of each include: kind is '<' or '"'."""
    text = read(path)
    return [(m[1], m[2], text.count("\n", 0, m.start(2)) + 1) for m in INCLUDE.finditer(text)]


def finish(faults):
    """Prints the faults and ends the check."""
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)
