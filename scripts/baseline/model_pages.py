"""Writes the times of the networks into the pages of docs/models.

    taper_bench --only models --peer PYTHON --json times.json
    PYTHON scripts/baseline/model_pages.py times.json [OTHER.json ...]

A page's section between `<!-- times -->` and `<!-- end of times -->` is replaced; pages without rows are left as they
are. Run it on the machine of the measurement, with the same Python, whose versions it names. `--print` prints the
sections instead of writing them.
"""
import argparse
import importlib.metadata
import json
import pathlib
import re
import textwrap

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs/models"
ROW = re.compile(r"models/(?P<page>\w+)/(?P<network>\w+): (?P<kind>inference|training), batch (?P<batch>\d+)")
SECTION = re.compile(r"(<!-- times -->\n).*?(<!-- end of times -->\n)", re.DOTALL)


def number(x):
    """Three significant digits, at most two of them decimals."""
    return f"{x:.{max(0, 3 - len(str(int(x))))}f}"


def cells(row):
    """The columns of a measurement, empty if it was not made."""
    if not row:
        return ["", "", ""]
    return [number(row["ours"]), number(row["baseline"]), f"{row['ratio']:.2f}"]


def processor():
    names = re.findall(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return " ".join(re.sub(r"\(R\)|\(TM\)|CPU|Processor|@.*", "", names[0] if names else "unknown processor").split())


def section(networks):
    """Returns the Markdown of a page: `networks` is a dict of the rows of each network by kind."""
    trained = next((rows["training"] for rows in networks.values() if "training" in rows), None)
    step = f"training, batch of {trained['batch']}, ms" if trained else "training, ms"
    lines = ["", "## Times", "", f"| network | inference, ms | PyTorch | ratio | {step} | PyTorch | ratio |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for name, rows in networks.items():
        columns = [f"`{name}`", *cells(rows.get("inference")), *cells(rows.get("training"))]
        lines.append("| " + " | ".join(columns) + " |")
    threads = next(iter(next(iter(networks.values())).values()))["threads"]
    versions = ", ".join(f"{label} {importlib.metadata.version(package).split('+')[0]}" for label, package in (
        ("PyTorch", "torch"), ("torchvision", "torchvision"), ("transformers", "transformers")))
    lines += ["", *textwrap.wrap(f"[Measured](README.md#times) with {threads} threads on {processor()}; {versions}.", 120,
                                 break_long_words=False, break_on_hyphens=False), "", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results", nargs="+")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    pages = {}
    for path in options.results:
        for row in json.loads(pathlib.Path(path).read_text()):
            if (match := ROW.fullmatch(row["name"])) and row["baseline"]:
                networks = pages.setdefault(match["page"], {})
                networks.setdefault(match["network"], {})[match["kind"]] = row | {"batch": match["batch"]}
    for page, networks in pages.items():
        text = section(networks)
        if options.print:
            print(f"docs/models/{page}.md{text}", end="")
            continue
        path = PAGES / f"{page}.md"
        written, count = SECTION.subn(lambda match: match[1] + text + match[2], path.read_text())
        if count != 1:
            raise SystemExit(f"{path}: expected one section between the markers of times, got {count}")
        path.write_text(written)


main()
