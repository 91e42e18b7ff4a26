"""Measures what building costs, in units: CPU time over that of `-fsyntax-only` of bench/calibrate.cpp, so that the
figures compare across machines. Builds in build/cost, without a compiler cache."""
import collections
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/cost"
LOG = BUILD / "costs.tsv"
LAUNCHER = f"{sys.executable};-S;-E;{ROOT}/scripts/building/launch.py"
ENVIRONMENT = dict(os.environ, TAPER_BUILD_COSTS=str(LOG), CCACHE_DISABLE="1", TAPER_NO_SETUP="1")
KERNEL = "src/ops/pointwise/unary.cpu.cpp"
LAYER = "src/nn/layers/linear.cpp"
CI_LABEL = ".ci/run from an empty cache"

Command = collections.namedtuple("Command", "seconds megabytes output")


def cpu_time(command, **options):
    """CPU seconds of a command and all that it started and waited for."""
    before = os.times()
    subprocess.run(command, cwd=ROOT, check=True, **options)
    after = os.times()
    return (after.children_user - before.children_user) + (after.children_system - before.children_system)


def calibrate():
    compiler = os.environ.get("CXX", "g++")
    return statistics.median(
        cpu_time([compiler, "-std=c++20", "-fsyntax-only", "bench/calibrate.cpp"]) for _ in range(5))


class Meter:
    """Runs builds and collects the commands that they ran; the unit is calibrated before and after each."""

    def __init__(self):
        self.units = [calibrate()]
        self.rows = []

    def build(self, label, budget, target="all"):
        """Builds and returns the commands; adds a row unless `label` is empty."""
        LOG.write_text("")
        print(f"building: {label or target}", file=sys.stderr, flush=True)
        run = subprocess.run(["cmake", "--build", BUILD, "--parallel", str(os.cpu_count()), "--target", target],
                             cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"the build of {target} failed:\n{run.stdout[-4000:]}")
        self.units.append(calibrate())
        commands = [Command(float(s), int(m), o) for s, m, o in
                    (line.split("\t") for line in LOG.read_text().splitlines())]
        if label:
            self.add(label, budget, commands)
        return commands

    def add(self, label, budget, commands):
        self.rows.append((label, budget, sum(c.seconds for c in commands), len(commands)))

    def touch(self, label, budget, path):
        (ROOT / path).touch()
        return self.build(label, budget)

    @property
    def unit(self):
        return statistics.median(self.units)


def count(pattern, paths):
    return sum(len(re.findall(pattern, p.read_text(), re.M)) for p in paths)


def compiled(commands, pattern):
    return [c for c in commands if c.output.endswith(".o") and re.search(pattern, c.output)]


def averages(meter, commands):
    """A further op or layer, as the average over those that exist: their sources, samples included."""
    from_lists = ROOT.glob("src/ops/**/*.inc")
    ops = count(r"^(?:TAPER_OP|UNARY|BINARY)\(", from_lists)
    layers = count(r"^TAPER_LAYER_MEMBERS(?:_AS)?\(", ROOT.glob("src/nn/**/*.cpp"))
    op_files = compiled(commands, r"/src/ops/\w+/|taper_op_samples")
    layer_files = compiled(commands, r"/src/nn/layers/|unity_src_nn_layers")
    for label, budget, files, number in (("a further op", 1.5, op_files, ops),
                                         ("a further layer", 2.5, layer_files, layers)):
        if number:
            meter.rows.append((f"{label} (average of {number})", budget, sum(c.seconds for c in files) / number,
                               len(files)))


def continuous_integration(meter):
    cache = BUILD / "empty_cache"
    shutil.rmtree(cache, ignore_errors=True)
    clone = BUILD / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    try:
        with open(BUILD / "ci.log", "w") as log:
            seconds = cpu_time([clone / ".ci/run"], env=dict(os.environ, CCACHE_DIR=str(cache)), stdout=log, stderr=log)
    except subprocess.CalledProcessError:
        print(f".ci/run failed, see {BUILD}/ci.log", file=sys.stderr)
        return False
    meter.units.append(calibrate())
    meter.rows.append((CI_LABEL, 3600, seconds, 0))
    return True


def exported_symbols():
    """The number of symbols that libtaper.so exports."""
    names = subprocess.run(["nm", "-D", "--defined-only", BUILD / "lib/libtaper.so"], check=True, capture_output=True,
                           text=True)
    return len(names.stdout.splitlines())


def print_table(meter, everything):
    print(f"unit: {meter.unit:.2f} s of CPU time (calibrated {len(meter.units)} times, "
          f"{min(meter.units):.2f} to {max(meter.units):.2f})\n")
    print(f"{'what':44} {'units':>7} {'budget':>7} {'CPU s':>8} {'commands':>9}")
    for label, budget, seconds, number in meter.rows:
        units = seconds / meter.unit
        verdict = "" if units <= budget else "  over"
        print(f"{label:44} {units:7.1f} {budget:7g} {seconds:8.1f} {number or '':>9}{verdict}")
    print(f"\nsymbols that libtaper.so exports: {exported_symbols()}")
    print(f"\n{'slowest files':60} {'units':>7} {'CPU s':>7} {'MB':>6}")
    for c in sorted(everything, key=lambda c: -c.seconds)[:10]:
        name = re.sub(r"CMakeFiles/([\w.]+)\.dir/", r"\1: ", c.output)
        print(f"{name:60} {c.seconds / meter.unit:7.1f} {c.seconds:7.1f} {c.megabytes:6}")


def main():
    if unknown := set(sys.argv[1:]) - {"--ci"}:
        sys.exit(f"unknown option '{unknown.pop()}': --building takes --ci alone")
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    subprocess.run(["cmake", "--preset", "release", "-B", BUILD, f"-DCMAKE_CXX_COMPILER_LAUNCHER={LAUNCHER}",
                    f"-DCMAKE_CXX_LINKER_LAUNCHER={LAUNCHER}"], cwd=ROOT, env=ENVIRONMENT, check=True,
                   stdout=subprocess.DEVNULL)
    meter = Meter()
    demo = meter.build("everything ./dev demo compiles", 640, "lenet_demo")
    rest = meter.build("", 0)
    meter.add("the whole release tree", 1600, demo + rest)
    meter.touch(f"touching one op's kernel ({KERNEL})", 20, KERNEL)
    meter.touch(f"touching one layer ({LAYER})", 20, LAYER)
    meter.touch("touching include/taper/core/tensor.h", 480, "include/taper/core/tensor.h")
    averages(meter, demo + rest)
    passed = "--ci" not in sys.argv or continuous_integration(meter)
    print_table(meter, demo + rest)
    sys.exit(not passed)


main()
