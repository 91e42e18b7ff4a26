"""Python version of examples/physics_informed.cpp; prints the same output."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 2, 41).unsqueeze(1).requires_grad_()


def derivative(of, by):
    return torch.autograd.grad(of, by, grad_outputs=torch.ones_like(of), create_graph=True)[0]


for step in range(400):
    opt.zero_grad()
    u = net(t)
    first = derivative(u, t)
    second = derivative(first, t)
    equation = (second + u).square().mean()  # u'' = -u
    value = (u[0, 0] - 1).square()           # u(0) = 1
    slope = first[0, 0].square()             # u'(0) = 0
    loss = equation + value + slope
    loss.backward()
    opt.step()
    if step == 0:
        print(f"loss of the first step: {loss.item():.3f}")

with torch.no_grad():
    error = (net(t) - t.cos()).abs().max().item()
print(f"largest error below 0.05: {error < 0.05}")
