"""Python version of examples/residual_blocks.cpp; prints the same output."""

import torch
from torch import nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    def __init__(self, channels, activation):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.activation = activation

    def forward(self, x):
        out = self.activation(self.bn1(self.conv1(x)))
        return self.activation(self.bn2(self.conv2(out)) + x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.activation = nn.LeakyReLU(0.1)
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.Sequential(BasicBlock(8, self.activation), BasicBlock(8, self.activation))
        self.fc = nn.Linear(8, 10)

    def forward(self, x):
        x = self.blocks(self.activation(self.stem(x)))
        return self.fc(x.mean((2, 3)))


torch.manual_seed(0)
net = Net()
print(net)
print(len(list(net.modules())), "modules in", len(list(net.named_modules(remove_duplicate=False))), "places")
print(sum(p.numel() for p in net.parameters()), "parameters")
x = torch.randn(2, 3, 8, 8)
y = net(x)
print(y.detach())
y.square().mean().backward()
print(f"gradient of the stem {net.stem.weight.grad.norm().item():.4f}")
