"""Writes tests/data/lenet_losses.json: the losses of the first ten batches of LeNet on the digits, with PyTorch.

    python scripts/golden/lenet_losses.py tests/data/lenet_losses.json

Settings, data and order of batches are those of the first setting of data/digits/digits_baseline.json.
"""
import gzip
import json
import os
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

DIGITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/digits")
LR, MOMENTUM, BATCHES = 0.01, 0.5, 10


def read(name, head):
    with gzip.open(os.path.join(DIGITS, name)) as f:
        return np.frombuffer(f.read()[head:], np.uint8)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.fc1, self.fc2 = nn.Linear(800, 500), nn.Linear(500, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x.view(-1, 800)))), 1)


def first_losses(x, y, seed):
    torch.manual_seed(seed)
    net = LeNet()
    opt = torch.optim.SGD(net.parameters(), lr=LR, momentum=MOMENTUM)
    losses = []
    for rows in torch.randperm(1437).split(64)[:BATCHES]:
        opt.zero_grad()
        loss = F.nll_loss(net(x[rows]), y[rows])
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


def main():
    torch.set_num_threads(1)
    images = torch.tensor(read("digits-images.idx3-ubyte.gz", 16).reshape(-1, 1, 8, 8).astype(np.float32) / 16)
    x = F.interpolate(images, size=(28, 28), mode="bilinear", align_corners=False)
    y = torch.tensor(read("digits-labels.idx1-ubyte.gz", 8).astype(np.int64))
    rows = [{"seed": seed, "losses": first_losses(x, y, seed)} for seed in range(5)]
    doc = {"torch": torch.__version__.split("+")[0], "lr": LR, "momentum": MOMENTUM, "batch": 64,
           # The last test image after the preparation of the data.
           "prepared_image": x[1796, 0].reshape(-1).tolist(), "runs": rows}
    with open(sys.argv[1], "w") as f:
        f.write(json.dumps(doc).replace('{"seed"', '\n{"seed"') + "\n")


main()
