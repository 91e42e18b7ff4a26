"""Trains LeNet on handwritten digits on several ranks, as ../distributed.cpp. Run with torchrun."""
import gzip
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

DATA = os.path.join(os.path.dirname(__file__), "../../data/digits/")


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5)
        self.fc1, self.fc2 = nn.Linear(20, 50), nn.Linear(50, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def read(name, header):
    with gzip.open(DATA + name) as f:
        return torch.tensor(list(f.read()[header:]), dtype=torch.uint8)


def read_images():
    small = read("digits-images.idx3-ubyte.gz", 16).view(-1, 8, 8)
    return F.interpolate((small.float() / 16).unsqueeze(1), size=(16, 16))


def train():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(1)
    net = LeNet()
    ddp = DistributedDataParallel(net)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

    images = read_images()
    labels = read("digits-labels.idx1-ubyte.gz", 8).long()
    digits = TensorDataset(images[:1408], labels[:1408])
    sampler = DistributedSampler(digits, num_replicas=world, rank=rank)
    loader = DataLoader(digits, batch_size=64 // world, sampler=sampler)

    for epoch in range(3):
        sampler.set_epoch(epoch)
        total = torch.zeros(())
        for image, label in loader:
            opt.zero_grad()
            loss = F.cross_entropy(ddp(image), label)
            loss.backward()  # averages the gradients of all ranks
            opt.step()
            total += loss.detach() / len(loader)
        dist.all_reduce(total)
        if rank == 0:
            print("epoch", epoch, "loss", total.item() / world)
    dist.destroy_process_group()


if __name__ == "__main__":
    train()
