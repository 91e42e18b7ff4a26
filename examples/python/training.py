"""Python version of examples/training.cpp; prints the same output."""

import torch
from torch import nn


class Training:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=0.01)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.opt, 0.1, total_steps=8)

    def run(self, steps):
        for _ in range(steps):
            self.opt.zero_grad()
            loss = self.net(torch.randn(16, 4)).square().mean()
            loss.backward()
            self.opt.step()
            self.scheduler.step()
            print(f"{loss:.6f}", end=" ")
        print()

    def save_to(self, path):
        torch.save({"net": self.net.state_dict(),
                    "opt": self.opt.state_dict(),
                    "scheduler": self.scheduler.state_dict(),
                    "rng": torch.get_rng_state()}, path)

    def load_from(self, path):
        checkpoint = torch.load(path)
        self.net.load_state_dict(checkpoint["net"])
        self.opt.load_state_dict(checkpoint["opt"])
        self.scheduler.load_state_dict(checkpoint["scheduler"])
        torch.set_rng_state(checkpoint["rng"])


class RoundStraightThrough(torch.autograd.Function):
    """Rounds; the gradient passes as if it did not (Bengio et al., 2013)."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        x, factor = ctx.saved_tensors
        return grad * factor, (grad * x).sum()


torch.manual_seed(0)
first = Training()
first.run(3)
first.save_to("training.pt")
first.run(5)

second = Training()  # as after a restart
second.load_from("training.pt")
second.run(5)

x = torch.tensor([0.4, 1.6], requires_grad=True)
RoundStraightThrough.apply(x).square().sum().backward()
print(f"{x.grad[0]:.2f} {x.grad[1]:.2f}")

factor = torch.tensor(3.0, requires_grad=True)
Scale.apply(torch.tensor([1.0, 2.0]), factor).sum().backward()
print(f"{factor.grad:.2f}")
