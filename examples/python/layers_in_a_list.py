"""Python version of examples/layers_in_a_list.cpp; prints the same output."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linears = nn.ModuleList([nn.Linear(10, 10) for i in range(10)])

    def forward(self, x):
        for i, l in enumerate(self.linears):
            x = self.linears[i // 2](x) + l(x)
        return x


torch.manual_seed(0)
net = Net()
print(net)
print(sum(p.numel() for p in net.parameters()), "parameters")
print(net(torch.ones(1, 10)).detach())
