"""Public headers: the light part of the standard library only, exported, and each compiles alone without a warning."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

import tree

STANDARD = set("""array atomic bit bitset cassert cctype cfloat chrono climits cmath compare complex concepts cstddef
    cstdint cstdio cstdlib cstring deque exception initializer_list iosfwd iterator limits list map memory new
    numbers numeric optional ratio set span stddef.h stdint.h stdexcept string string_view thread tuple type_traits typeindex
    typeinfo utility variant vector version""".split())
# The linker does not find an operator that is declared nowhere but in a class and defined in a source file.
HIDDEN_FRIEND = re.compile(r"\bfriend [^;{}]*\boperator[^;{}]*\)\s*;")
# The warnings that a program may enable which finds the headers by -I, where they are not system headers.
FLAGS = """-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror
    -Iinclude""".split()
GCC_FLAGS = ["-Wuseless-cast"]
# Each is precompiled for the headers that include it, directly or not, which takes a third of the time. A header
# compiles after one of these exactly if it compiles alone, because each header between the two is checked as well;
# those that the base includes in turn are compiled without it.
PRECOMPILED = [f"include/taper/{name}.h" for name in ("nn/layer", "core/value", "core/tensor")]


def run_compiler(*arguments, program=None):
    """The output of the compiler if it fails, otherwise an empty string."""
    compiler = os.environ.get("CXX", "g++")
    flags = FLAGS if "clang" in compiler else FLAGS + GCC_FLAGS
    run = subprocess.run([compiler, *flags, *arguments], input=program, cwd=tree.ROOT, capture_output=True, text=True)
    return "" if run.returncode == 0 else run.stderr.strip() or "failed"


def statement(path):
    return f'#include "{path.removeprefix("include/")}"\n'


def closures(headers):
    """Per header those that it includes, directly or not."""
    includes = {path: {f"include/{name}" for kind, name, _ in tree.includes(path) if kind == '"'} & set(headers)
                for path in headers}

    def closure(path):
        found, rest = set(), [path]
        while rest:
            for included in includes[rest.pop()] - found:
                found.add(included)
                rest.append(included)
        return found

    return {path: closure(path) for path in headers}


def faults_of_compilation(headers):
    included = closures(headers)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def copy_of(base):
            return pathlib.Path(folder, os.path.basename(base))

        def precompile(base):
            copy_of(base).write_text(statement(base), encoding="utf-8")
            return run_compiler("-x", "c++-header", copy_of(base))

        def check(path):
            base = next((b for b in PRECOMPILED if b in included[path] and path not in included[b]), None)
            use = ["-Winvalid-pch", "-include", copy_of(base)] if base else []
            return run_compiler("-fsyntax-only", *use, "-x", "c++", "-", program=statement(path))

        def report(paths, results):
            return [f"{path}: does not compile alone:\n{text}" for path, text in zip(paths, results) if text]

        return (report(PRECOMPILED, pool.map(precompile, PRECOMPILED))
                or report(headers, pool.map(check, headers)))


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
    tree.finish(faults + faults_of_compilation(headers))


main()
