"""Python version of examples/plain_tensor.cpp; prints the same output."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("offset", torch.ones(2))
        self.plain = torch.ones(2)

    def forward(self, x):
        return x * self.weight + self.offset


m = Scaled()
m.to(torch.float64)
print("weight", m.weight.dtype)
print("offset", m.offset.dtype)
print("plain", m.plain.dtype)
print(list(m.state_dict().keys()))
m.to("meta")
print("weight", m.weight.device)
print("offset", m.offset.device)
print("plain", m.plain.device)
