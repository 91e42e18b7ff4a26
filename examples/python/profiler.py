"""Python version of examples/profiler.cpp; prints the same output."""

import torch
from torch import nn
import torch.nn.functional as F
from torch.profiler import profile, record_function, schedule

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.AdamW(net.parameters())
x, y = torch.randn(32, 64), torch.randint(10, (32,))


def train_step():
    opt.zero_grad()
    with record_function("loss"):
        loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()


with profile(schedule=schedule(wait=1, warmup=1, active=3), record_shapes=True) as prof:
    for _ in range(5):
        train_step()
        prof.step()

for e in prof.key_averages():
    if e.key == "loss" or e.key.startswith(("Optimizer.step", "ProfilerStep")):
        print(e.key, e.count)
prof.export_chrome_trace("trace.json")
# print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))
