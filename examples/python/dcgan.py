"""Python version of examples/dcgan.cpp; prints the same output."""

import argparse
import os

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchvision.utils import save_image

import digits

NOISE, WIDTH = 32, 32

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=60)
parser.add_argument("--images", type=int, default=1797)
parser.add_argument("--log-every", type=int, default=5)
parser.add_argument("--show", type=int, default=6)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--out", default="dcgan")
o = parser.parse_args()


def make_generator():
    return nn.Sequential(
        nn.ConvTranspose2d(NOISE, 4 * WIDTH, 4, bias=False),
        nn.BatchNorm2d(4 * WIDTH),
        nn.ReLU(),  # 4 x 4
        nn.ConvTranspose2d(4 * WIDTH, 2 * WIDTH, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(2 * WIDTH),
        nn.ReLU(),  # 8 x 8
        nn.ConvTranspose2d(2 * WIDTH, 1, 4, stride=2, padding=1, bias=False),
        nn.Tanh(),  # 16 x 16
    )


def make_discriminator():
    return nn.Sequential(
        nn.Conv2d(1, WIDTH, 4, stride=2, padding=1, bias=False),
        nn.LeakyReLU(0.2),
        nn.Conv2d(WIDTH, 2 * WIDTH, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(2 * WIDTH),
        nn.LeakyReLU(0.2),
        nn.Conv2d(2 * WIDTH, 1, 4, bias=False),
        nn.Flatten(0),  # logits
    )


def initialize(module):
    """The initial weights of the paper."""
    if isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1, 0.02)
        nn.init.zeros_(module.bias)
    elif hasattr(module, "weight"):
        nn.init.normal_(module.weight, 0, 0.02)


def loss_of(logits, label):
    return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, label))


def mean_probability(logits):
    return logits.detach().sigmoid().mean().item()


images = digits.images()[:o.images] * 2 - 1  # from -1 to 1, as tanh
torch.manual_seed(o.seed)
generator, discriminator = make_generator(), make_discriminator()
generator.apply(initialize)
discriminator.apply(initialize)
generator_opt = torch.optim.Adam(generator.parameters(), lr=5e-4, betas=(0.5, 0.999))
discriminator_opt = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
fixed_noise = torch.randn(64, NOISE, 1, 1)
loader = DataLoader(TensorDataset(images), batch_size=64, shuffle=True, drop_last=True)
os.makedirs(o.out, exist_ok=True)

for epoch in range(1, o.epochs + 1):
    loss_d = loss_g = real_score = fake_score = 0
    for (real,) in loader:
        discriminator_opt.zero_grad()
        fake = generator(torch.randn(len(real), NOISE, 1, 1))
        on_real, on_fake = discriminator(real), discriminator(fake.detach())
        discriminator_loss = loss_of(on_real, 1) + loss_of(on_fake, 0)
        discriminator_loss.backward()
        discriminator_opt.step()

        generator_opt.zero_grad()
        generator_loss = loss_of(discriminator(fake), 1)
        generator_loss.backward()
        generator_opt.step()

        loss_d += discriminator_loss.item()
        loss_g += generator_loss.item()
        real_score += mean_probability(on_real)
        fake_score += mean_probability(on_fake)
    if epoch % o.log_every == 0:
        n = len(loader)
        print(f"epoch {epoch:3d}: loss D {loss_d / n:.4f}, G {loss_g / n:.4f};",
              f"D(x) {real_score / n:.4f}, D(G(z)) {fake_score / n:.4f}", flush=True)
        with torch.no_grad():
            save_image(generator(fixed_noise), f"{o.out}/{epoch}.png", normalize=True, value_range=(-1, 1))

if o.show:
    with torch.no_grad():
        print("\ndrawn digits:")
        digits.show((generator(fixed_noise)[:o.show] + 1) / 2)
