"""Saves a run of two processes of PyTorch with DistributedDataParallel, which tests of Taper continue.

    python scripts/golden/ddp_run.py tests/data/ddp_run.pt

The run has 12 steps. The file contains the batches, of which each rank trains on its half, the checkpoint of the wrapper
after 6 steps, whose names begin with `module.`, the mean losses of all steps, and the weights after the last one.
"""
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WORLD, STEPS, SAVED, BATCH = 2, 12, 6, 8


def clone(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: clone(v) for key, v in value.items()}
    return [clone(v) for v in value] if isinstance(value, list) else value


def train(rank, path):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29611")
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, y = torch.randn(STEPS, BATCH, 6), torch.randint(0, 3, (STEPS, BATCH))
    net = DistributedDataParallel(nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.Tanh(), nn.Linear(16, 3)))
    opt = torch.optim.AdamW(net.parameters(), lr=0.02)
    run = {"x": x, "y": y, "losses": []}
    for t in range(STEPS):
        if t == SAVED:
            run.update(model=clone(net.state_dict()), optimizer=clone(opt.state_dict()), step=t)
        opt.zero_grad()
        half = slice(rank * BATCH // WORLD, (rank + 1) * BATCH // WORLD)
        loss = nn.functional.cross_entropy(net(x[t, half]), y[t, half])
        loss.backward()
        opt.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        run["losses"].append(mean.item() / WORLD)
    run["final"] = clone(net.module.state_dict())
    if rank == 0:
        torch.save(run, path)
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, (sys.argv[1],), nprocs=WORLD)
