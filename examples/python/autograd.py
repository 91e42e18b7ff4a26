"""Python version of examples/autograd.cpp; prints the same output."""

import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")


def backward():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    print(w.grad is not None)
    loss.backward()
    print(w.grad)
    (3 * w).sum().backward()
    print(w.grad)
    w.grad = None
    (w * w).backward(torch.tensor([1.0, 10.0]))
    print(w.grad)
    print(loss.grad_fn.name())


def leaves():
    w = torch.tensor([1.0, 2.0]).requires_grad_()
    y = w * 3
    y.retain_grad()
    y.square().sum().backward()
    print(y.grad)
    print(w.is_leaf)
    print(y.is_leaf)
    print(y.detach().requires_grad)


def gradients_of_several():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    unused = torch.ones(1, requires_grad=True)
    a = x * x * y
    b = y.square()
    grads = torch.autograd.grad(
        (a, b), (x, y, unused), grad_outputs=(torch.ones(2), torch.ones(2)), allow_unused=True)
    print(grads[0])
    print(grads[1])
    print(grads[2] is not None)
    print(x.grad is not None)


def second_derivatives():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.pow(3).sum()
    first, = torch.autograd.grad(y, x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x)
    print(first.detach())
    print(second)


def jacobian():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.stack([x.sum(), x.prod()])
    rows, = torch.autograd.grad(y, x, grad_outputs=torch.eye(2), is_grads_batched=True)
    print(rows)


def several_passes():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp().sum()
    y.backward(retain_graph=True)
    y.backward()
    print(x.grad)
    try:
        y.backward()
    except RuntimeError:
        print("the graph was freed")


def hooks():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 10
    clip = y.register_hook(lambda grad: grad.clamp(-1, 1))
    x.register_hook(lambda grad: print(grad))

    @torch.no_grad()
    def step(leaf):
        leaf.sub_(0.1 * leaf.grad)
        leaf.grad = None

    x.register_post_accumulate_grad_hook(step)
    y.square().sum().backward()
    print(x.detach())
    clip.remove()


def modes():
    w = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        print((w * 2).requires_grad)
        with torch.enable_grad():
            print((w * 2).requires_grad)
    with torch.inference_mode():
        y = w * 2
        print(y.is_inference())
    training = False
    with torch.set_grad_enabled(training):
        print(torch.is_grad_enabled())


def anomaly():
    with torch.autograd.detect_anomaly():
        x = torch.tensor(-1.0, requires_grad=True)
        try:
            x.sqrt().backward()
        except RuntimeError:
            print("NaN in a gradient")


class Polar(torch.autograd.Function):
    """Polar coordinates of points (x, y)."""

    @staticmethod
    def forward(ctx, x, y):
        radius = (x * x + y * y).sqrt()
        ctx.save_for_backward(x, y, radius)
        return radius, y.atan2(x)

    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y, radius = ctx.saved_tensors
        radial, angular = grad_radius / radius, grad_angle / radius.square()
        return radial * x - angular * y, radial * y + angular * x


def custom_function():
    x = torch.tensor([3.0, 0.5], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([4.0, 1.5], dtype=torch.float64, requires_grad=True)
    radius, angle = Polar.apply(x, y)
    (radius + angle).sum().backward()
    print(radius.detach())
    print(x.grad)
    print(torch.autograd.gradcheck(Polar.apply, (x, y)))


def checkpointing():
    torch.manual_seed(0)
    block = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4))
    x = torch.ones(2, 4, requires_grad=True)
    y = checkpoint(block, x, use_reentrant=False)
    y.sum().backward()
    saved = x.grad.clone()
    x.grad = None
    block(x).sum().backward()
    print(torch.allclose(saved, x.grad))


backward()
leaves()
gradients_of_several()
second_derivatives()
jacobian()
several_passes()
hooks()
modes()
anomaly()
custom_function()
checkpointing()
