"""Python version of examples/mixed_precision.cpp; prints the same output."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=1024, growth_interval=10)
x = torch.randn(64, 8)
target = x.sum(1, keepdim=True)

first = last = 0.0
for i in range(40):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        y = net(x)                      # products in float16
        loss = F.mse_loss(y, target)    # the loss in float32
    scaler.scale(loss).backward()
    scaler.step(opt)                    # skipped if a gradient is inf or NaN
    scaler.update()
    if i == 0:
        first = loss.item()
    last = loss.item()

print(y.dtype, loss.dtype)
print("smaller:", last < 0.1 * first)
print(f"scale {scaler.get_scale():.0f}")
