"""Python version of examples/diffusion.cpp; prints the same output."""

import argparse
import math
import os

import torch
from torch import nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torchvision.utils import save_image

import digits

TIMES, EMBEDDING, WIDTH = 200, 64, 32

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--log-every", type=int, default=100)
parser.add_argument("--show", type=int, default=6)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--out", default="diffusion")
o = parser.parse_args()


class ResidualBlock(nn.Module):
    """Two convolutions with a shortcut; the embedding of time and digit shifts the channels between."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.norm1 = nn.GroupNorm(8, inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.shift = nn.Linear(EMBEDDING, outputs)
        self.norm2 = nn.GroupNorm(8, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.shortcut = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x, embedding):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.shift(embedding)[:, :, None, None]
        return self.shortcut(x) + self.conv2(F.silu(self.norm2(h)))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(EMBEDDING, EMBEDDING), nn.SiLU(), nn.Linear(EMBEDDING, EMBEDDING))
        self.digit = nn.Embedding(10, EMBEDDING)
        self.input = nn.Conv2d(1, WIDTH, 3, padding=1)
        self.down1 = ResidualBlock(WIDTH, WIDTH)
        self.down2 = ResidualBlock(WIDTH, 2 * WIDTH)
        self.middle = ResidualBlock(2 * WIDTH, 2 * WIDTH)
        self.up2 = ResidualBlock(4 * WIDTH, WIDTH)
        self.up1 = ResidualBlock(2 * WIDTH, WIDTH)
        self.norm = nn.GroupNorm(8, WIDTH)
        self.output = nn.Conv2d(WIDTH, 1, 3, padding=1)

    def encode(self, t):
        rate = torch.exp(torch.arange(EMBEDDING // 2) * (-math.log(1e4) / (EMBEDDING // 2)))
        angle = t.unsqueeze(1) * rate
        return torch.cat([angle.sin(), angle.cos()], 1)

    def forward(self, x, t, digits):
        embedding = F.silu(self.time(self.encode(t)) + self.digit(digits))
        h1 = self.down1(self.input(x), embedding)              # 16 x 16
        h2 = self.down2(F.avg_pool2d(h1, 2), embedding)        # 8 x 8
        h = self.middle(F.avg_pool2d(h2, 2), embedding)        # 4 x 4
        h = self.up2(torch.cat([F.interpolate(h, scale_factor=2), h2], 1), embedding)
        h = self.up1(torch.cat([F.interpolate(h, scale_factor=2), h1], 1), embedding)
        return self.output(F.silu(self.norm(h)))


beta = torch.linspace(1e-4, 0.05, TIMES)
alpha = 1 - beta
alpha_bar = alpha.cumprod(0)


def add_noise(x, noise, t):
    share = alpha_bar[t].view(-1, 1, 1, 1)
    return share.sqrt() * x + (1 - share).sqrt() * noise


@torch.no_grad()
def draw(net, digits):
    x = torch.randn(len(digits), 1, 16, 16)
    for t in reversed(range(TIMES)):
        noise = net(x, torch.full((len(digits),), t), digits)
        x = (x - beta[t] / (1 - alpha_bar[t]).sqrt() * noise) / alpha[t].sqrt()
        if t > 0:
            x = x + beta[t].sqrt() * torch.randn_like(x)
    return x


images, labels = digits.images() * 2 - 1, digits.labels()
torch.manual_seed(o.seed)
net = UNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(opt, o.steps)
average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.99))

total = 0
for step in range(1, o.steps + 1):
    index, t = torch.randint(len(images), (64,)), torch.randint(TIMES, (64,))
    x = images[index]
    noise = torch.randn_like(x)
    opt.zero_grad()
    predicted = net(add_noise(x, noise, t), t, labels[index])
    loss = F.mse_loss(predicted, noise)
    loss.backward()
    opt.step()
    scheduler.step()
    average.update_parameters(net)
    total += loss.item()
    if step % o.log_every == 0:
        print(f"step {step:4d}: loss {total / o.log_every:.5f}", flush=True)
        total = 0

if o.show:
    drawn = draw(average.module, torch.arange(10).repeat_interleave(8))
    os.makedirs(o.out, exist_ok=True)
    save_image(drawn, f"{o.out}/drawn.png", normalize=True, value_range=(-1, 1))
    print("\ndrawn digits:")
    digits.show((drawn[0:8 * o.show:8] + 1) / 2)
