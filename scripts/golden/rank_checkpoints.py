"""Reads with PyTorch what two ranks of Taper wrote: python scripts/golden/rank_checkpoints.py FOLDER

tests/dist/python_checkpoints.sh writes the folder (the scenario write_checkpoints of tests/dist/ranks): the start of a
run and its batches, the checkpoint of train::Trainer, a distributed checkpoint, sharded safetensors and a whole state
dict. The values must be those of the same run of PyTorch in one process; the formats must contain equal values, which
are also loaded into a network that fully_shard divides among two processes.
"""
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from safetensors.torch import load_file
from torch import nn
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
from torch.distributed.checkpoint.state_dict import (StateDictOptions, get_model_state_dict, get_optimizer_state_dict,
                                                     set_optimizer_state_dict)
from torch.distributed.fsdp import fully_shard


def new_training():
    net = nn.Sequential(nn.Linear(6, 16, bias=False), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 3))
    return net, torch.optim.AdamW(net.parameters(), lr=0.02)


def expect_equal(what, actual, expected):
    assert actual.keys() == expected.keys(), f"{what}: {actual.keys() ^ expected.keys()}"
    for name, value in expected.items():
        assert torch.equal(actual[name], value), f"{what}: {name} differs"


def expect_trained(folder, whole, optimizer):
    """Compares with the run of one process on the global batches."""
    start = torch.load(folder + "/start.pt")
    net, opt = new_training()
    net.load_state_dict(start["model"])
    for x, y in zip(start["x"], start["y"]):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    for name, value in net.state_dict().items():
        torch.testing.assert_close(whole[name], value, rtol=1e-4, atol=1e-5, msg=lambda m, n=name: f"{n}: {m}")
    for i, state in opt.state_dict()["state"].items():
        for name, value in state.items():
            torch.testing.assert_close(optimizer["state"][i][name], value, rtol=1e-3, atol=1e-6)


def read_in_two_processes(rank, folder):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29617")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    net, _ = new_training()
    for layer in net:
        if any(True for _ in layer.parameters()):
            fully_shard(layer)
    opt = torch.optim.AdamW(net.parameters(), lr=0.02)
    state = {"model": get_model_state_dict(net), "optim": get_optimizer_state_dict(net, opt)}
    dcp.load(state, checkpoint_id=folder + "/dcp")
    set_optimizer_state_dict(net, opt, state["optim"])
    options = StateDictOptions(full_state_dict=True)
    expect_equal("two processes", get_model_state_dict(net, options=options), torch.load(folder + "/whole.pt"))
    saved = torch.load(folder + "/run/last.pt")["optimizer_state_dict"]["state"]
    read = get_optimizer_state_dict(net, opt, options=options)["state"]
    for i, (name, _) in enumerate(net.named_parameters()):
        expect_equal("optimizer in two processes: " + name, read[name], saved[i])
    dist.destroy_process_group()


def main(folder):
    whole = torch.load(folder + "/whole.pt")
    run = torch.load(folder + "/run/last.pt")
    expect_equal("Trainer", run["model_state_dict"], whole)
    net, opt = new_training()
    net.load_state_dict(run["model_state_dict"])
    opt.load_state_dict(run["optimizer_state_dict"])
    expect_trained(folder, whole, run["optimizer_state_dict"])

    state = {"model": new_training()[0].state_dict(), "step": 0}
    dcp.load(state, checkpoint_id=folder + "/dcp", no_dist=True)
    expect_equal("distributed checkpoint", state["model"], whole)
    assert state["step"] == 4
    dcp_to_torch_save(folder + "/dcp", folder + "/converted.pt")
    converted = torch.load(folder + "/converted.pt")
    expect_equal("dcp_to_torch_save", converted["model"], whole)
    for i, (name, _) in enumerate(net.named_parameters()):
        expect_equal(name, converted["optim"]["state"][name], run["optimizer_state_dict"]["state"][i])

    shards = [f for f in sorted(os.listdir(folder)) if f.endswith(".safetensors")]
    assert len(shards) == 2, shards
    expect_equal("safetensors", {k: v for f in shards for k, v in load_file(os.path.join(folder, f)).items()}, whole)
    torch.multiprocessing.spawn(read_in_two_processes, (folder,), nprocs=2)
    print("PyTorch reads the checkpoints of two ranks")


if __name__ == "__main__":
    main(sys.argv[1])
