"""Copies the golden cases that taper_oracle passes: select_cases.py TAPER_ORACLE FROM_DIR TO_DIR FAMILY...

Families keep their format. Skipped cases are omitted, so that every case of the copy runs."""
import json
import os
import subprocess
import sys

from safetensors import safe_open
from safetensors.torch import save_file


def passed(program, folder):
    run = subprocess.run([program, folder, "--verbose"], capture_output=True, text=True, check=False)
    words = (line.split() for line in run.stdout.splitlines())
    return {w[1] for w in words if len(w) >= 2 and w[0] == "passed"}


def main():
    program, source, target, *families = sys.argv[1:]
    good = passed(program, source)
    os.makedirs(target, exist_ok=True)
    for family in families:
        with open(os.path.join(source, family + ".json")) as f:
            doc = json.load(f)
        doc["cases"] = [c for c in doc["cases"] if c["id"] in good]
        with open(os.path.join(target, family + ".json"), "w") as f:
            head = {k: v for k, v in doc.items() if k != "cases"}
            f.write(json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(json.dumps(c) for c in doc["cases"]) + "\n]}\n")
        kept = tuple(c["id"] + "/" for c in doc["cases"])
        with safe_open(os.path.join(source, family + ".safetensors"), "pt") as f:
            save_file({k: f.get_tensor(k) for k in f.keys() if k.startswith(kept)}, os.path.join(target, family + ".safetensors"))


if __name__ == "__main__":
    main()
