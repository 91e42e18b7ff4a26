"""Python version of examples/vae.cpp; prints the same output."""

import argparse
import os

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchvision.utils import save_image

import digits

PIXELS, LATENT = 16 * 16, 8

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=300)
parser.add_argument("--log-every", type=int, default=20)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--out", default="vae")
o = parser.parse_args()


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(PIXELS, 256), nn.ReLU())
        self.mean = nn.Linear(256, LATENT)
        self.log_variance = nn.Linear(256, LATENT)
        self.decoder = nn.Sequential(nn.Linear(LATENT, 256), nn.ReLU(), nn.Linear(256, PIXELS),
                                     nn.Unflatten(1, (1, 16, 16)))

    def forward(self, x):
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(z), mean, log_variance


def loss_of(output, x):
    logits, mean, log_variance = output
    reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum()
    return reconstruction + divergence


images = digits.images()
train, test = images[:1437], images[1437:]
torch.manual_seed(o.seed)
net = VAE()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(train), batch_size=64, shuffle=True)
for epoch in range(1, o.epochs + 1):
    net.train()
    total = 0
    for (x,) in loader:
        opt.zero_grad()
        loss = loss_of(net(x), x)
        loss.backward()
        opt.step()
        total += loss.item()
    if epoch % o.log_every == 0:
        net.eval()
        with torch.no_grad():
            test_loss = loss_of(net(test), test).item()
        print(f"epoch {epoch:3d}: loss {total / len(train):.3f}, of test images {test_loss / len(test):.3f}")

with torch.no_grad():
    shown = test[:6]
    print("\ntest images, and their reconstructions:")
    digits.show(shown)
    digits.show(net(shown)[0].sigmoid())
    drawn = net.decoder(torch.randn(64, LATENT)).sigmoid()
    print("\ndrawn digits:")
    digits.show(drawn[:6])
    os.makedirs(o.out, exist_ok=True)
    first = test[:32]
    save_image(torch.cat([first, net(first)[0].sigmoid()]), f"{o.out}/reconstructions.png")
    save_image(drawn, f"{o.out}/drawn.png")
