"""Exchanges the checkpoint of a training run with AdamW and OneCycleLR between Python and Taper.

    python scripts/golden/continued_run.py make tests/data/continued_run.pt
    TAPER_CONTINUED_RUN=/tmp/run.pt build/release/bin/test_optim --gtest_filter='ContinuedRun.*'
    python scripts/golden/continued_run.py check tests/data/continued_run.pt /tmp/run.pt

A run has 150 steps. `make` trains all of them and saves the batches, the losses, the checkpoint after 50 steps, and the
weights after 100 and 150. The test loads the checkpoint, continues for 50 steps, compares losses and weights, and
saves its own checkpoint after 100 steps. `check` loads that checkpoint, continues for the last 50 steps, and compares.
"""
import sys

import torch
from torch import nn

STEPS, SAVED, RETURNED, BATCH = 150, 50, 100, 16
TOLERANCE = 1e-6  # of losses and weights, relative to 1 + |value|


class Training:
    """Weights decay, biases do not; each group has its own largest rate."""

    def __init__(self):
        self.net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
        weights = [p for name, p in self.net.named_parameters() if name.endswith("weight")]
        biases = [p for name, p in self.net.named_parameters() if name.endswith("bias")]
        self.opt = torch.optim.AdamW(
            [{"params": weights}, {"params": biases, "weight_decay": 0.0}], lr=1e-3, weight_decay=0.05)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.opt, [0.02, 0.01], total_steps=STEPS)

    def checkpoint(self):
        return {"model": self.net.state_dict(), "optimizer": self.opt.state_dict(),
                "scheduler": self.scheduler.state_dict()}

    def load(self, checkpoint):
        self.net.load_state_dict(checkpoint["model"])
        self.opt.load_state_dict(checkpoint["optimizer"])
        self.scheduler.load_state_dict(checkpoint["scheduler"])

    def step(self, x, label):
        self.opt.zero_grad()
        loss = nn.functional.cross_entropy(self.net(x), label)
        loss.backward()
        self.opt.step()
        self.scheduler.step()
        return loss.item()


def clone(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return type(value)((key, clone(v)) for key, v in value.items())
    return [clone(v) for v in value] if isinstance(value, list) else value


def make(path):
    torch.manual_seed(0)
    training = Training()
    inputs = torch.randn(STEPS, BATCH, 6)
    labels = (inputs @ torch.randn(6, 3)).argmax(2)
    result = {"inputs": inputs, "labels": labels, "losses": [], "rates": [], "betas": []}
    for t in range(STEPS + 1):
        if t == SAVED:
            result["checkpoint"] = clone(training.checkpoint())
        if t in (RETURNED, STEPS):
            result["weights %d" % t] = clone(training.net.state_dict())
        if t < STEPS:
            result["rates"].append([group["lr"] for group in training.opt.param_groups])
            result["betas"].append([group["betas"][0] for group in training.opt.param_groups])
            result["losses"].append(training.step(inputs[t], labels[t]))
    torch.save(result, path)


def check(path, returned):
    expected, checkpoint = torch.load(path), torch.load(returned)
    training = Training()
    training.load(checkpoint)
    worst_loss = worst_weight = 0.0
    for t in range(RETURNED, STEPS):
        rates = [group["lr"] for group in training.opt.param_groups]
        assert rates == expected["rates"][t], (t, rates, expected["rates"][t])
        assert [group["betas"][0] for group in training.opt.param_groups] == expected["betas"][t], t
        loss = training.step(expected["inputs"][t], expected["labels"][t])
        worst_loss = max(worst_loss, abs(loss - expected["losses"][t]) / (1 + abs(loss)))
    for name, value in expected["weights %d" % STEPS].items():
        difference = (training.net.state_dict()[name] - value).abs() / (1 + value.abs())
        worst_weight = max(worst_weight, difference.max().item())
    print(f"largest relative differences: losses {worst_loss:.1e}, weights {worst_weight:.1e}")
    if max(worst_loss, worst_weight) > TOLERANCE:
        sys.exit("the run does not continue as in Python")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
