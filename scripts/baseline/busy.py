"""Rows about cores that other processes use as well, relative to the time on quiet cores."""
import contextlib
import os
import subprocess
import sys

SPIN = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); print(flush=True)\nwhile True: pass"


@contextlib.contextmanager
def competitor(*command):
    """A process that runs until the end of the scope and prints a line when it has begun."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


def train_forever(lenet_step):
    print(flush=True)
    while True:
        lenet_step()


def rows(lenet_step, resnet18_step):
    def busy_core(step):
        quiet = step()
        with competitor("-c", SPIN):
            return step() / quiet

    def two_processes():
        alone = lenet_step()
        with competitor(os.path.join(os.path.dirname(__file__), "eager.py"), "--train-lenet"):
            return lenet_step() / (2 * alone)

    return {"busy_core": lambda: busy_core(lenet_step),
            "busy_core_resnet18": lambda: busy_core(resnet18_step),
            "two_processes": two_processes}
