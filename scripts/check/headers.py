"""Public headers: the light part of the standard library only, exported, and each compiles alone without a warning."""
import concurrent.futures
import os
import re
import subprocess

import tree

STANDARD = set("""array atomic bit bitset cassert cctype cfloat chrono climits cmath compare complex concepts cstddef
    cstdint cstdio cstdlib cstring deque exception initializer_list iosfwd iterator limits list map memory new
    numbers numeric optional ratio set span stddef.h stdint.h stdexcept string string_view thread tuple type_traits typeindex
    typeinfo utility variant vector version""".split())
# The linker does not find an operator that is declared nowhere but in a class and defined in a source file.
HIDDEN_FRIEND = re.compile(r"\bfriend [^;{}]*\boperator[^;{}]*\)\s*;")
FLAGS = "-std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude".split()


def compiles(path):
    program = f'#include "{path.removeprefix("include/")}"\n'
    compiler = os.environ.get("CXX", "g++")
    run = subprocess.run([compiler, *FLAGS, "-x", "c++", "-"], input=program, cwd=tree.ROOT,
                         capture_output=True, text=True)
    return [] if run.returncode == 0 else [f"{path}: does not compile alone:\n{run.stderr.strip()}"]


def main():
    headers = [p for p in tree.files(".h") if p.startswith("include/")]
    faults = []
    for path in headers:
        for kind, name, line in tree.includes(path):
            if kind == "<" and name not in STANDARD:
                faults.append(f"{path}:{line}: public headers may not include <{name}>")
            if kind == '"' and not name.startswith("taper/"):
                faults.append(f'{path}:{line}: public headers include each other as "taper/...", got "{name}"')
        text = tree.read(path)
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("namespace taper"):
                faults.append(f"{path}:{number}: the namespaces of public headers are 'namespace TAPER_API taper'")
        for friend in HIDDEN_FRIEND.finditer(text):
            faults.append(f"{path}:{text.count(chr(10), 0, friend.start()) + 1}: define friend operators in the class, "
                          "or make them members: libtaper.so does not export others")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(compiles, headers):
            faults += found
    tree.finish(faults)


main()
