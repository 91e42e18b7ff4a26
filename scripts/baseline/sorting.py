"""Rows about sorting, scans and embeddings."""
import torch
import torch.nn.functional as F

from timing import per_call

COUNT = 1_000_000


def floats():
    return torch.randn(COUNT)


def integers():
    return torch.randint(0, COUNT, (COUNT,))


def on(make, f):
    def row():
        x = make()
        return per_call(lambda: f(x)) * 1e3

    return row


def embedding_step():
    weight = torch.randn(50_000, 512, requires_grad=True)
    indices, g = torch.randint(0, 50_000, (8192,)), torch.randn(8192, 512)

    def run():
        weight.grad = None
        F.embedding(indices, weight).backward(g)

    return per_call(run) * 1e3


ROWS = {
    "sort": on(floats, torch.sort),
    "sort_int64": on(integers, torch.sort),
    "topk": on(floats, lambda x: torch.topk(x, 100)),
    "unique": on(floats, torch.unique),
    "unique_int64": on(integers, torch.unique),
    "cumsum": on(floats, lambda x: torch.cumsum(x, 0)),
    "embedding_step": embedding_step,
}
