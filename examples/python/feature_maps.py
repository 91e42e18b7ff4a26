"""Python version of examples/feature_maps.cpp; prints the same output."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential()
net.add_module("conv1", nn.Conv2d(1, 4, 3))
net.add_module("relu1", nn.ReLU())
net.add_module("pool1", nn.MaxPool2d(2))
net.add_module("conv2", nn.Conv2d(4, 8, 3))
net.add_module("relu2", nn.ReLU())
net.add_module("head", nn.Sequential(nn.Flatten(), nn.Linear(8 * 11 * 11, 10)))
maps = {}
handles = []
for name in ["conv1", "relu2", "head.1"]:

    def keep(module, args, result, name=name):
        maps[name] = result.detach()

    handles.append(net.get_submodule(name).register_forward_hook(keep))
net(torch.randn(2, 1, 28, 28))
for name, m in maps.items():
    print(f"{name:8}{list(m.shape)} mean {m.mean().item():.4f}")
for h in handles:
    h.remove()
maps.clear()
net(torch.randn(2, 1, 28, 28))
print("after removal:", len(maps), "maps")
