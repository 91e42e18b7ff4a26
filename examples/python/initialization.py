"""Python version of examples/initialization.cpp; prints the same output."""

import torch
from torch import nn


def initialize(module):
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, 0, "fan_out", "relu")
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.constant_(module.weight, 0.5)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight, nn.init.calculate_gain("tanh"))
        nn.init.zeros_(module.bias)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(4, 2))
net.apply(initialize)
for name, parameter in net.named_parameters():
    print(name)
    print(parameter.detach())

table = torch.empty(4, 3)
nn.init.trunc_normal_(table, 0, 0.02, -0.04, 0.04)
nn.init.orthogonal_(table)
print(torch.allclose(table.T @ table, torch.eye(3), 1e-5, 1e-6))
nn.init.uniform_(table, -0.1, 0.1, torch.Generator().manual_seed(7))
print(table)
