"""Family loader: batches, seeds of workers, collation, datasets."""

import itertools
import math

import torch
from torch.utils import data

from .case import attempt, next_draw
from .samplers import draws_after, make_generators, make_sampler


class Range(data.Dataset):
    """Item i is start + i."""

    def __init__(self, size, start=0):
        self.size, self.start = size, start

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        if not -self.size <= i < self.size:
            raise IndexError(f"{i} is out of range of {self.size}")
        return self.start + (i + self.size if i < 0 else i)


class Probe(Range):
    """Item i names the worker that computes it, and draws a uniform and a normal number."""

    def __getitem__(self, i):
        w = data.get_worker_info()
        who = [-1, 0, -1] if w is None else [w.id, w.num_workers, w.seed]
        return torch.tensor([i, *who, torch.initial_seed()]), torch.cat([torch.rand(1), torch.randn(1)])


class Fails(Range):
    """As Range, but the items `at` raise a ValueError."""

    def __init__(self, size, at):
        super().__init__(size)
        self.at = at

    def __getitem__(self, i):
        if i in self.at:
            raise ValueError(f"cannot read item {i}")
        return i


class RangeIterable(data.IterableDataset):
    """start, ..., end - 1. Workers read all, contiguous parts of ceil(n / workers), or every workers-th element."""

    def __init__(self, start, end, sharding="none", length=None):
        self.start, self.end, self.sharding, self.length = start, end, sharding, length

    def __iter__(self):
        w = data.get_worker_info()
        if w is None or self.sharding == "none":
            return iter(range(self.start, self.end))
        if self.sharding == "strided":
            return iter(range(self.start + w.id, self.end, w.num_workers))
        part = math.ceil((self.end - self.start) / w.num_workers)
        first = self.start + w.id * part
        return iter(range(first, min(first + part, self.end)))


class Sized(RangeIterable):
    def __len__(self):
        return self.length


def make_dataset(spec):
    name, children = spec["name"], spec.get("children")
    if name == "RangeIterable":
        return (Sized if "length" in spec else RangeIterable)(**{k: v for k, v in spec.items() if k != "name"})
    if name in ("Range", "Probe", "Fails"):
        return globals()[name](**{k: v for k, v in spec.items() if k != "name"})
    if name == "TensorDataset":
        return data.TensorDataset(*spec["tensors"])
    if name == "Subset":
        return data.Subset(make_dataset(spec["child"]), spec["indices"])
    if name == "StackDataset" and isinstance(children, dict):
        return data.StackDataset(**{k: make_dataset(v) for k, v in children.items()})
    if name == "StackDataset":
        return data.StackDataset(*map(make_dataset, children))
    return getattr(data, name)([make_dataset(s) for s in children])  # ConcatDataset, ChainDataset


class Reseed:
    """A worker_init_fn that seeds the global generator with `plus` + id of the worker."""

    def __init__(self, plus):
        self.plus = plus

    def __call__(self, worker):
        torch.manual_seed(self.plus + worker)


def keep(batch):
    return batch


def make_loader(c, dataset, generators):
    spec = c["loader"]
    args = dict(spec["args"])
    for k in ("sampler", "batch_sampler"):
        if k in spec:
            args[k] = make_sampler(spec[k], len(dataset), generators)
    if spec.get("generator"):
        args["generator"] = generators[spec["generator"]]
    if spec["collate"] == "list":  # a batch is the list of its items
        args["collate_fn"] = keep
    if "worker_init" in spec:
        args["worker_init_fn"] = Reseed(spec["worker_init"])
    return data.DataLoader(dataset, **args)


def run_passes(c, loader, batch):
    """Iterates as `passes` specify, and returns batches and base seeds. A pass with `take` is abandoned."""
    out, seeds = [], []
    for p in c["passes"]:
        it = iter(loader)
        seeds.append(it._base_seed)
        out.append([batch(x) for x in itertools.islice(it, p.get("take"))])
        if not loader.persistent_workers:
            del it
    return out, seeds


def kind_order(c):
    generators = make_generators(c)
    torch.manual_seed(c["seed"])
    loader = make_loader(c, make_dataset(c["dataset"]), generators)
    passes, seeds = run_passes(c, loader, lambda x: x)
    try:
        length = {"length": len(loader)}
    except TypeError:  # an iterable dataset without a length
        length = {}
    return {**length, "passes": passes, "base_seeds": seeds, **draws_after(generators)}


def kind_workers(c):
    """A loader over Probe with default collation. The items of a pass are concatenated."""
    generators = make_generators(c)
    torch.manual_seed(c["seed"])
    loader = make_loader(c, make_dataset(c["dataset"]), generators)
    passes, seeds = run_passes(c, loader, lambda x: x)
    rows = [
        {"sizes": [len(i) for i, _ in p], "info": torch.cat([i for i, _ in p]), "draws": torch.cat([d for _, d in p])}
        for p in passes
    ]
    return {"passes": rows, "base_seeds": seeds, **draws_after(generators)}


def kind_fails(c):
    """Batches and errors of a loader whose items raise; it continues after an error."""
    torch.manual_seed(c["seed"])
    loader = make_loader(c, make_dataset(c["dataset"]), {})
    it, out = iter(loader), []
    while True:
        try:
            out.append(next(it))
        except StopIteration:
            return {"batches": out, "next": next_draw()}
        except ValueError as e:
            out.append({"error": str(e).strip().split("\n")[-1].removeprefix("ValueError: ")})


def kind_collate(c):
    from .values import Data

    def typed(x):  # a dict in the result is a value, not a record
        if isinstance(x, dict):
            return Data({k: typed(v) for k, v in x.items()})
        if isinstance(x, tuple):
            return type(x)(*map(typed, x)) if hasattr(x, "_fields") else tuple(map(typed, x))
        return [typed(v) for v in x] if isinstance(x, list) else x

    fn = getattr(data, c["name"])
    return {"result": typed(fn(c["input"]))}


def kind_dataset(c):
    ds = make_dataset(c["dataset"])
    out = {"length": len(ds), "items": []}
    for i in c["gets"]:
        try:
            x = ds[i]
            out["items"].append(x)
        except (IndexError, ValueError):
            out["items"].append({"refused": True})
    if isinstance(ds, data.ConcatDataset):
        out["cumulative_sizes"] = list(ds.cumulative_sizes)
    return out


def kind_error(c):
    if "input" in c:
        return attempt(lambda: getattr(data, c["name"])(c["input"]))
    if "loader" in c:
        generators = make_generators(c)
        return attempt(lambda: make_loader(c, make_dataset(c["dataset"]), generators))
    return attempt(lambda: make_dataset(c["dataset"]))
