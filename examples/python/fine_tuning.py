"""Python version of examples/fine_tuning.cpp; prints the same output."""

import torch
from torch import nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh())
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


def train(net, opt, x, y, steps):
    for step in range(steps):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    return (net(x).argmax(1) == y).float().mean().item(), loss.item()


torch.manual_seed(0)
x = torch.randn(200, 2)
inside = (x.pow(2).sum(1) < 1).long()
net = Classifier(2)
acc, loss = train(net, torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9), x, inside, 200)
print(f"inside or outside: loss {loss:.4f}, accuracy {acc:.3f}")
# a different task on the same features
net.zero_grad()
net.backbone.requires_grad_(False)
net.backbone.eval()
net.head = nn.Linear(16, 3)
before = net.backbone[0].weight.clone()
radius = x.pow(2).sum(1)
rings = (radius > 0.7).long() + (radius > 2.5).long()
trained = [p for p in net.parameters() if p.requires_grad]
print(len(trained), "of", len(list(net.parameters())), "parameters are trained")
acc, loss = train(net, torch.optim.SGD(trained, lr=0.5, momentum=0.9), x, rings, 200)
print(f"three rings: loss {loss:.4f}, accuracy {acc:.3f}")
print("backbone unchanged:", torch.equal(before, net.backbone[0].weight), net.backbone[0].weight.grad is None)
