"""Rows about normalization, activation functions, softmax and cross entropy, einsum and distances."""
import torch
import torch.nn.functional as F

from timing import per_call


def gradient_step(shape, f, parameters=()):
    x, g = torch.randn(shape, requires_grad=True), torch.randn(shape)

    def run():
        x.grad = None
        for t in parameters:
            t.grad = None
        f(x).backward(g)

    return per_call(run) * 1e3


def layer_norm():
    weight, bias = torch.ones(1024, requires_grad=True), torch.zeros(1024, requires_grad=True)
    return gradient_step((4096, 1024), lambda x: F.layer_norm(x, [1024], weight, bias), (weight, bias))


def gelu():
    return gradient_step((4_000_000,), F.gelu)


def tanh_gelu():
    return gradient_step((4_000_000,), lambda x: F.gelu(x, approximate="tanh"))


def silu():
    return gradient_step((4_000_000,), F.silu)


def softmax():
    return gradient_step((4096, 4096), lambda x: F.softmax(x, -1))


def log_softmax():
    return gradient_step((4096, 4096), lambda x: F.log_softmax(x, -1))


def cross_entropy():
    x, target = torch.randn(2048, 50257, requires_grad=True), torch.randint(50257, (2048,))

    def run():
        x.grad = None
        F.cross_entropy(x, target).backward()

    return per_call(run) * 1e3


def attention_scores():
    q, k = torch.randn(8, 8, 256, 64), torch.randn(8, 8, 256, 64)
    return per_call(lambda: torch.einsum("bhid,bhjd->bhij", q, k)) * 1e3


def distances():
    x, y = torch.randn(2000, 64), torch.randn(2000, 64)
    return per_call(lambda: torch.cdist(x, y)) * 1e3


ROWS = {f.__name__: f for f in (layer_norm, gelu, tanh_gelu, silu, softmax, log_softmax, cross_entropy,
                                attention_scores, distances)}
