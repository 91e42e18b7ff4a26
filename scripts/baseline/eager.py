"""The baseline of taper_bench: reads "ROW THREADS" lines, answers each with one measurement of PyTorch eager, or of
LibTorch's C++ frontend for rows named "libtorch:ROW". Rows named "models:ROW" also require torchvision and transformers.
A line in JSON is a request of the sweep over ops."""
import functools
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import attention
import busy
import data
import files
import functions
import large_networks
import models
import optimizers
import recurrent
import sorting
import sweep
from timing import faster_layout, per_call


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.fc1, self.fc2 = nn.Linear(800, 500), nn.Linear(500, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x.flatten(1)))), 1)


def training_step(net, x, y, loss, **options):
    opt = torch.optim.SGD(net.parameters(), lr=0.01, **options)

    def step():
        opt.zero_grad()
        loss(net(x), y).backward()
        opt.step()

    return step


def add_small():
    a = torch.ones(4)
    with torch.no_grad():
        return per_call(lambda: a + a) * 1e9


def add_small_recorded():
    a = torch.ones(4, requires_grad=True)
    return per_call(lambda: a + a) * 1e9


def mlp_step():
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return per_call(training_step(net, torch.randn(16, 32), torch.randint(10, (16,)), F.cross_entropy)) * 1e6


def lenet_step():
    def make(layout):
        net = LeNet().to(memory_format=layout)
        x = torch.randn(64, 1, 28, 28).to(memory_format=layout)
        return training_step(net, x, torch.randint(10, (64,)), F.nll_loss)

    return faster_layout(make) * 1e3


def lenet_inference():
    def make(layout):
        net = LeNet().eval().to(memory_format=layout)
        x = torch.randn(64, 1, 28, 28).to(memory_format=layout)

        def run():
            with torch.inference_mode():
                net(x)

        return run

    return faster_layout(make) * 1e3


def conv_bn_relu():
    def make(layout):
        net = nn.Sequential(nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU()).to(memory_format=layout)
        x = torch.randn(8, 64, 56, 56).to(memory_format=layout).requires_grad_()
        g = torch.randn(8, 64, 56, 56).to(memory_format=layout)

        def run():
            x.grad = None
            net.zero_grad()
            net(x).backward(g)

        return run

    return faster_layout(make) * 1e3


class Nothing(nn.Module):
    def forward(self, x):
        return x


def forward_hook():
    """The time that one hook adds to a call."""
    plain, hooked, x = Nothing(), Nothing(), torch.ones(4)
    hooked.register_forward_hook(lambda module, args, result: None)
    return (per_call(lambda: hooked(x)) - per_call(lambda: plain(x))) * 1e9


def many_linears():
    return nn.Sequential(*(nn.Linear(8, 8) for _ in range(200)))


def state_dict():
    return per_call(many_linears().state_dict) * 1e6


def load_state_dict():
    net = many_linears()
    state = net.state_dict()
    return per_call(lambda: net.load_state_dict(state)) * 1e6


def lenet_memory():
    run = subprocess.run([sys.executable, __file__, "--lenet-memory"], capture_output=True, text=True, check=True)
    return float(run.stdout)


def own_lenet_memory():
    """Megabytes that this process held at most, training LeNet."""
    torch.set_num_threads(2)
    step = training_step(LeNet(), torch.randn(64, 1, 28, 28), torch.randint(10, (64,)), F.nll_loss, momentum=0.9)
    for _ in range(30):
        step()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def start():
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return (time.perf_counter() - began) * 1e3


@functools.cache
def libtorch():
    """libtorch.cpp, compiled against the LibTorch that came with this torch."""
    from torch.utils import cpp_extension

    folder = tempfile.TemporaryDirectory()
    program = pathlib.Path(folder.name, "libtorch")
    source = pathlib.Path(__file__).with_name("libtorch.cpp")
    includes = [flag for path in cpp_extension.include_paths() for flag in ("-isystem", path)]
    libraries = [flag for path in cpp_extension.library_paths() for flag in ("-L" + path, "-Wl,-rpath," + path)]
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    subprocess.run(["g++", "-std=c++20", "-O3", abi, *includes, source, *libraries, "-ltorch", "-ltorch_cpu", "-lc10", "-o", program], check=True)
    return folder, program


def libtorch_row(name):
    run = subprocess.run([libtorch()[1], name], capture_output=True, text=True, check=True)
    return float(run.stdout)


ROWS = {
    f.__name__: f
    for f in (
        add_small,
        add_small_recorded,
        forward_hook,
        state_dict,
        load_state_dict,
        mlp_step,
        lenet_step,
        lenet_inference,
        conv_bn_relu,
        lenet_memory,
        start,
    )
} | attention.ROWS | busy.rows(lenet_step, large_networks.resnet18_step) | large_networks.ROWS | recurrent.ROWS | sorting.ROWS | functions.ROWS | optimizers.ROWS | files.ROWS | data.ROWS

GROUPS = {"libtorch": libtorch_row, "models": models.measure}


def main():
    if sys.argv[1:] == ["--lenet-memory"]:
        print(own_lenet_memory())
        return
    if sys.argv[1:] == ["--train-lenet"]:
        torch.set_num_threads(2)
        busy.train_forever(lenet_step)
    print("PyTorch", torch.__version__, flush=True)
    rows = sweep.Sweep()
    for line in sys.stdin:
        try:
            if line.startswith("{"):
                print(json.dumps(rows.answer(json.loads(line))), flush=True)
                continue
            name, threads = line.split()
            torch.set_num_threads(int(threads))
            group, _, row = name.partition(":")
            print(GROUPS[group](row) if group in GROUPS else ROWS[name](), flush=True)
        except Exception as e:
            print("error", type(e).__name__, str(e).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
