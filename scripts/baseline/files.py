"""Rows about files: what torch.load, torch.save and safetensors cost, in the page cache."""
import atexit
import functools
import pathlib
import shutil
import tempfile
import time

import torch


@functools.cache
def place():
    folder = tempfile.mkdtemp(prefix="taper_baseline_", dir="/dev/shm")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder)


def large():
    """16 tensors of 64 MB."""
    return {f"layer{i}.weight": torch.randn(1 << 24) for i in range(16)}


def many():
    return {f"layers.{i}.weight": torch.randn(64) for i in range(5000)}


@functools.cache
def saved(make):
    path = place() / (make.__name__ + ".pt")
    torch.save(make(), path)
    return path


@functools.cache
def saved_safetensors():
    from safetensors.torch import save_file

    path = place() / "large.safetensors"
    save_file(large(), path)
    return path


@functools.cache
def kept(make):
    return make()


def milliseconds(f):
    began = time.perf_counter()
    f()
    return (time.perf_counter() - began) * 1e3


def load_copied():
    path = saved(large)
    return milliseconds(lambda: torch.load(path))


def load_mapped():
    path = saved(large)
    return milliseconds(lambda: torch.load(path, mmap=True)["layer0.weight"][0].item())


def load_summed():
    path = saved(large)
    return milliseconds(lambda: sum(t.sum().item() for t in torch.load(path, mmap=True).values()))


def load_safetensors():
    from safetensors.torch import load_file

    path = saved_safetensors()
    return milliseconds(lambda: load_file(path))


def load_many():
    path = saved(many)
    return milliseconds(lambda: torch.load(path))


def save_large():
    path = place() / "written.pt"
    path.unlink(missing_ok=True)
    return milliseconds(lambda: torch.save(kept(large), path))


def save_many():
    path = place() / "written.pt"
    path.unlink(missing_ok=True)
    return milliseconds(lambda: torch.save(kept(many), path))


ROWS = {
    f.__name__: f
    for f in (load_copied, load_mapped, load_summed, load_safetensors, load_many, save_large, save_many)
}
