"""Continues from checkpoints of a sharded network after failures, as ../elastic.cpp. Run with torchrun."""
import gzip
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (get_model_state_dict, get_optimizer_state_dict,
                                                     set_optimizer_state_dict)
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

DATA = os.path.join(os.path.dirname(__file__), "../../data/digits/")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(64, 50), nn.Linear(50, 10)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


def read(name, header):
    with gzip.open(DATA + name) as f:
        return torch.tensor(list(f.read()[header:]), dtype=torch.uint8)


def train(folder):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(1)
    net = Net()
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters(), lr=0.01)

    labels = read("digits-labels.idx1-ubyte.gz", 8).long()
    x = (read("digits-images.idx3-ubyte.gz", 16).view(-1, 8, 8).float() / 16).flatten(1)
    digits = TensorDataset(x[:1440], labels[:1440])
    sampler = DistributedSampler(digits, num_replicas=world, rank=rank)
    loader = DataLoader(digits, batch_size=48 // world, sampler=sampler)

    epoch = step = 0  # position of the next batch

    def state_dict():
        return {"model": get_model_state_dict(net),
                "optim": get_optimizer_state_dict(net, opt),
                "epoch": epoch,
                "step": step}

    if os.path.exists(folder + "/.metadata"):
        state = state_dict()
        dcp.load(state, checkpoint_id=folder)  # the parameters are loaded in place
        set_optimizer_state_dict(net, opt, state["optim"])
        epoch = state["epoch"]
        step = state["step"]

    while epoch < 3:
        sampler.set_epoch(epoch)
        for i, (image, label) in enumerate(loader):
            if i < step:  # before the checkpoint
                continue
            opt.zero_grad()
            F.cross_entropy(net(image), label).backward()
            opt.step()
            step += 1
            if step % 4 == 0:
                dcp.save(state_dict(), checkpoint_id=folder)
        epoch, step = epoch + 1, 0
    with torch.no_grad():
        loss = F.cross_entropy(net(x), labels).item()
    if rank == 0:
        print("loss", loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    train(sys.argv[1] if len(sys.argv) > 1 else "checkpoint")
