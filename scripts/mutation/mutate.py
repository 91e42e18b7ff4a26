"""Measures the tests: puts random single-line faults into a copy of the tree, one at a time, and runs the tests until
one fails. A fault that does not compile is replaced by another. Faults that no test detects show which code is not tested.

usage: mutate.py COUNT SEED; results are kept in build/mutation/SEED.jsonl and continued by the next call."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

import faults

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build/mutation/tree"
BUILD = COPY / "build/release"
SKIPPED = ("packaging",)  # builds outside projects


def run(*command):
    done = subprocess.run(command, cwd=COPY, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def prepare():
    """Clones the tree at HEAD and builds it."""
    if not COPY.exists():
        subprocess.run(["git", "clone", "-q", ROOT, COPY], check=True)
    subprocess.run(["git", "checkout", "-q", "--", "src"], cwd=COPY, check=True)
    subprocess.run(["./dev", "build"], cwd=COPY, check=True)


def areas_for(path):
    """All areas of tests: those named after a folder of the path first, then the others, fast ones first."""
    output = run("ctest", "--test-dir", BUILD, "-N", "-E", "_compile_fail_")[1]
    listed = re.findall(r"^  *Test +#\d+: (\S+)$", output, re.M)
    seconds = collections.defaultdict(float)
    costs = BUILD / "Testing/Temporary/CTestCostData.txt"
    if costs.exists():
        seconds.update((p[0], float(p[2])) for p in map(str.split, costs.read_text().splitlines()) if len(p) == 3)
    near = [name for name in reversed(path.split("/")) if name in listed]
    return near + sorted((t for t in listed if t not in near and not t.startswith(SKIPPED)), key=seconds.__getitem__)


def verdict_of(path):
    """(verdict, the test that noticed, its output)."""
    code, output = run("cmake", "--build", BUILD, "--target", "taper")
    if code:
        return "does not compile", "", output
    targets = run("cmake", "--build", BUILD, "--target", "help")[1]
    for area in areas_for(path):
        if f"test_{area}:" in targets:
            code, output = run("cmake", "--build", BUILD, "--target", f"test_{area}")
            if code:
                return "noticed", f"build of {area}", output
        code, output = run("ctest", "--test-dir", BUILD, "-R", f"^{area}$", "--output-on-failure", "--timeout", "1800")
        if code:
            return "noticed", area, "\n".join(re.findall(r"\[  FAILED  \] \S+", output)[:3]) or output[-1000:]
    return "missed", "", ""


def report(results):
    counts = collections.Counter()
    for r in results:
        counts["/".join(r["path"].split("/")[:2]), r["verdict"]] += 1
    print(f"{'folder':20} {'noticed':>8} {'missed':>7}")
    for folder in sorted({key[0] for key in counts}):
        print(f"{folder:20} {counts[folder, 'noticed']:>8} {counts[folder, 'missed']:>7}")
    print(f"{'total':20} {sum(n for (_, v), n in counts.items() if v == 'noticed'):>8} "
          f"{sum(n for (_, v), n in counts.items() if v == 'missed'):>7}")
    for r in results:
        if r["verdict"] == "missed":
            print(f"{r['path']}:{r['line']}: missed\n  - {r['old'].strip()}\n  + {r['new'].strip()}")


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    log = ROOT / f"build/mutation/{seed}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    prepare()
    os.chdir(COPY)
    valid = [r for r in done if r["verdict"] != "does not compile"]
    for n, (path, line, old, new) in enumerate(faults.draw(seed)):
        if len(valid) >= count:
            break
        if n < len(done):
            continue
        source = COPY / path
        text = source.read_text()
        lines = text.split("\n")
        lines[line - 1] = new
        source.write_text("\n".join(lines))
        verdict, by, output = verdict_of(path)
        source.write_text(text)
        done.append(dict(path=path, line=line, old=old, new=new, verdict=verdict, by=by, output=output[-1000:]))
        with open(log, "a") as out:
            out.write(json.dumps(done[-1]) + "\n")
        if verdict != "does not compile":
            valid.append(done[-1])
        print(f"{len(valid)}/{count} {path}:{line}: {verdict} {by}", flush=True)
    report(valid)


main()
