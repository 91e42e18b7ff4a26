"""The Python column of docs/modules.md."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 4)
        self.register_buffer("mean", torch.zeros(8))
        self.extra = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x):
        x = self.fc2(self.fc1(x - self.mean))
        for layer in self.extra:
            x = layer(x)
        return x


def names():
    net = nn.Sequential()
    net.register_parameter("scale", nn.Parameter(torch.ones(4)))
    net.register_buffer("steps", torch.zeros(1), persistent=False)
    net.note = "as built"
    net.head = nn.Linear(4, 2)
    scale = net.scale
    head = net.head
    note = net.note
    del net.note
    return scale, head, note


def containers():
    body = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    tail = body[1:]
    twice = tail * 2
    body.insert(1, nn.ReLU()).append(nn.ReLU())
    heads = nn.ModuleDict({"digits": nn.Linear(4, 10), "letters": nn.Linear(4, 26)})
    bases = nn.ParameterList([torch.randn(3), torch.randn(4)])
    return twice, heads, bases


def hooks():
    net = Block()

    def double(module, args, result):
        return result * 2

    handle = net.fc1.register_forward_hook(double)
    net.fc2.register_forward_pre_hook(lambda module, args: (args[0] + 1,))

    def look(module, grad_input, grad_output):
        print(grad_output[0].shape)

    net.fc2.register_full_backward_hook(look)
    net(torch.ones(2, 8)).sum().backward()
    handle.remove()


def state():
    net = Block()
    saved = net.state_dict()
    print(list(saved)[:2], saved._metadata["fc1"])
    del saved["mean"]
    missing, unexpected = net.load_state_dict(saved, strict=False)
    print(missing, unexpected)
    net.load_state_dict({"module." + key: value for key, value in net.state_dict().items()}, strict=False)


def conversion(device):
    net = Block().to(device, torch.float64).eval()
    net.float()
    net.to("meta").to_empty(device="cpu")


names()
containers()
hooks()
state()
conversion("cpu")
