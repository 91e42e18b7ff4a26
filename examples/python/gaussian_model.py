"""Python version of examples/gaussian_model.cpp; prints the same output."""

import math, torch
from torch import nn
from torch.distributions import Normal


class GaussianModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_parameter("mean", nn.Parameter(torch.zeros(1)))
        self.register_parameter("log_std", nn.Parameter(torch.zeros(1)))

    def log_density(self, x):
        z = (x - self.mean) / self.log_std.exp()
        return -0.5 * z * z - self.log_std - 0.5 * math.log(2 * math.pi)

    def forward(self, x):
        return -self.log_density(x).mean()


class NormalModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_parameter("mean", nn.Parameter(torch.zeros(1)))
        self.pdf = Normal(self.mean, torch.tensor([3.0]))

    def forward(self, x):
        return -self.pdf.log_prob(x)


def fit_mean(x):
    model = NormalModel()
    print(model.pdf)
    print(model(x[0:3]))
    opt = torch.optim.SGD(model.parameters(), lr=1)
    for step in range(100):
        opt.zero_grad()
        loss = model(x).mean()
        loss.backward()
        opt.step()
        if step == 0:
            print(type(loss.grad_fn).__name__, model.mean.grad)
    print(f"mean {model.pdf.mean.item():.3f}, deviation {model.pdf.stddev.item():.3f}")


torch.manual_seed(0)
x = torch.randn(1000) * 3 + 5
model = GaussianModel()
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(201):
    opt.zero_grad()
    loss = model(x)
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(f"step {step}: negative log-density {loss.item():.4f}")
for name, p in model.named_parameters():
    print(name, p)
print(f"mean {model.mean.item():.3f}, deviation {model.log_std.exp().item():.3f}")
print(f"of the data: {x.mean().item():.3f}, {x.std().item():.3f}")
fit_mean(x)
