"""Trains a network whose layers are divided among ranks, as ../tensor_parallel.cpp. Run with torchrun."""
import gzip
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, loss_parallel, parallelize_module
from torch.nn import functional as F

DATA = os.path.join(os.path.dirname(__file__), "../../data/digits/")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.head = nn.Linear(64, 256), nn.Linear(256, 32), nn.Linear(32, 10)
        self.norm = nn.LayerNorm(32)

    def forward(self, x):
        return self.head(self.norm(self.fc2(F.relu(self.fc1(x)))))


def read(name, header):
    with gzip.open(DATA + name) as f:
        return torch.tensor(list(f.read()[header:]), dtype=torch.uint8)


def train():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(1)
    net = Net()
    parallelize_module(net, init_device_mesh("cpu", (world,)),
                       {"fc1": ColwiseParallel(),
                        "fc2": RowwiseParallel(),
                        "head": ColwiseParallel(use_local_output=False)})
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

    images = read("digits-images.idx3-ubyte.gz", 16).view(-1, 8, 8)
    labels = read("digits-labels.idx1-ubyte.gz", 8).long()
    x = (images.float() / 16).flatten(1)
    for epoch in range(3):
        for begin in range(0, 1408, 64):
            opt.zero_grad()
            with loss_parallel():  # each rank has the scores of its classes
                last = F.cross_entropy(net(x[begin:begin + 64]), labels[begin:begin + 64])
                last.backward()
            opt.step()
        if rank == 0:
            print("epoch", epoch, "loss", last.full_tensor().item())
    whole = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
    if rank == 0:
        torch.save(whole, "digits.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    train()
