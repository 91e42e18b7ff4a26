"""Python version of examples/gradient_log.cpp; prints the same output."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))


def log(name):
    def hook(module, grad_input, grad_output):
        print(
            f"  {name}: gradient of the result {grad_output[0].norm().item():.4f}, of the input {grad_input[0].norm().item():.4f}"
        )

    return hook


for name, m in net.named_children():
    if isinstance(m, nn.Linear):
        m.register_full_backward_hook(log(name))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 8, requires_grad=True)
y = x.detach().sum(1, keepdim=True) * 3
for step in range(3):
    print("step", step)
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    clipped = nn.utils.get_total_norm([p.grad for p in net.parameters()])
    print(f"  loss {loss.item():.4f}, norm {norm.item():.4f}, clipped to {clipped.item():.4f}")
    opt.step()
