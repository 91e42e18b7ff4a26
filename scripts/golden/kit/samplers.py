"""Family samplers: indices of samplers under a seed, and functions that family loader shares."""

import itertools

import torch
from torch.utils import data

from .case import attempt, next_draw


def make_generators(c):
    return {k: torch.Generator().manual_seed(s) for k, s in (c.get("generators") or {}).items()}


def make_sampler(spec, size, generators):
    """Returns the sampler of a specification over `size` items."""
    name, args = spec["name"], dict(spec.get("args", {}))
    if name == "list":  # a plain list of indices, or of lists of them
        return args["indices"]
    if spec.get("generator"):
        args["generator"] = generators[spec["generator"]]
    cls = data.DistributedSampler if name == "DistributedSampler" else getattr(data, name)
    if name == "BatchSampler":
        return cls(make_sampler(spec["sampler"], size, generators), **args)
    if name in ("SubsetRandomSampler", "WeightedRandomSampler"):
        return cls(**args)
    return cls(range(size), **args)


def draws_after(generators):
    return {"next": next_draw(), "generator_next": {k: torch.rand(2, generator=g) for k, g in generators.items()}}


def kind_sampler(c):
    generators = make_generators(c)
    torch.manual_seed(c["seed"])
    s = make_sampler(c["sampler"], c["size"], generators)
    passes = []
    for p in c["passes"]:
        if "epoch" in p:
            s.set_epoch(p["epoch"])
        passes.append(list(itertools.islice(iter(s), p.get("take"))))
    return {"length": len(s), "passes": passes, **draws_after(generators)}


def kind_interleaved(c):
    """Several samplers that draw from one generator in turn."""
    generators = make_generators(c)
    torch.manual_seed(c["seed"])
    iterators = [iter(make_sampler(s, c["size"], generators)) for s in c["samplers"]]
    return {"taken": [list(itertools.islice(iterators[k], n)) for k, n in c["turns"]], **draws_after(generators)}


def kind_distributed(c):
    """The indices of all ranks of a DistributedSampler, for each epoch."""
    args, epochs, length = c["args"], [], None
    for e in c["epochs"]:
        ranks = []
        for rank in range(args["num_replicas"]):
            s = data.DistributedSampler(range(c["size"]), rank=rank, **args)
            if e is not None:
                s.set_epoch(e)
            ranks.append(list(s))
            length = len(s)
        epochs.append(ranks)
    return {"length": length, "epochs": epochs}


def kind_random_split(c):
    generators = make_generators(c)
    torch.manual_seed(c["seed"])
    g = {"generator": generators[c["generator"]]} if c.get("generator") else {}
    parts = data.random_split(range(c["size"]), c["lengths"], **g)
    return {"parts": [list(p.indices) for p in parts], **draws_after(generators)}


def kind_error(c):
    """Construction, or the first pass, must fail."""
    generators = make_generators(c)
    torch.manual_seed(c["seed"])
    if "lengths" in c:
        return attempt(lambda: data.random_split(range(c["size"]), c["lengths"]))
    return attempt(lambda: list(make_sampler(c["sampler"], c["size"], generators)))
