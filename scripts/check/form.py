"""The C++ sources have the form of .clang-format (./dev format gives it to them)."""
import subprocess

import tree


def main():
    sources = tree.files(".h", ".cpp")
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", *sources], cwd=tree.ROOT,
                         capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in run.stderr.splitlines() if ": error:" in line})
    tree.finish([f"{path}: not formatted" for path in wrong] or ([run.stderr] if run.returncode else []))


main()
