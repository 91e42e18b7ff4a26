"""Python version of examples/char_gpt.cpp; prints the same output."""

import argparse
import math
import subprocess

import torch
from torch import nn
import torch.nn.functional as F

LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 4, 4, 128, 128, 16

parser = argparse.ArgumentParser()
parser.add_argument("--text")
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--log-every", type=int, default=100)
parser.add_argument("--generate", type=int, default=500)
parser.add_argument("--seed", type=int, default=1)
o = parser.parse_args()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.proj = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        n, length, _ = x.shape
        q, k, v = self.qkv(x).view(n, length, 3 * HEADS, -1).transpose(1, 2).chunk(3, 1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(n, length, -1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.ln2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.GELU(),
                                 nn.Linear(4 * WIDTH, WIDTH, bias=False))

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, tokens):
        super().__init__()
        self.token = nn.Embedding(tokens, WIDTH)
        self.position = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential()
        self.ln = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, tokens, bias=False)
        for _ in range(LAYERS):
            self.blocks.append(Block())
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, 0, 0.02)

    def forward(self, ids):
        x = self.token(ids) + self.position(torch.arange(ids.shape[1]))
        return self.head(self.ln(self.blocks(x)))

    @torch.no_grad()
    def generate(self, ids, count, temperature):
        for _ in range(count):
            logits = self(ids[:, -CONTEXT:])[:, -1]
            ids = torch.cat([ids, torch.multinomial((logits / temperature).softmax(-1), 1)], 1)
        return ids


def draw_batch(ids):
    start = torch.randint(len(ids) - CONTEXT, (BATCH, 1))
    index = start + torch.arange(CONTEXT)
    return ids[index], ids[index + 1]


def loss_of(net, batch):
    x, y = batch
    return F.cross_entropy(net(x).flatten(0, 1), y.flatten())


if o.text:
    text = open(o.text).read()
else:
    command = ["bible", "gen1:1-rev22:21"]
    text = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
characters = sorted(set(text))
id_of = {c: i for i, c in enumerate(characters)}
ids = torch.tensor([id_of[c] for c in text])
split = len(ids) * 9 // 10
train, valid = ids[:split], ids[split:]

torch.manual_seed(o.seed)
net = GPT(len(characters))
print(f"{len(text)} characters, {len(characters)} different;",
      sum(p.numel() for p in net.parameters()), "parameters")

opt = torch.optim.AdamW(net.parameters(), lr=3e-3, betas=(0.9, 0.99), weight_decay=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(
    opt, lambda step: min(1.0, (step + 1) / 50) * (0.55 + 0.45 * math.cos(math.pi * step / o.steps)))
total = 0
for step in range(1, o.steps + 1):
    opt.zero_grad()
    loss = loss_of(net, draw_batch(train))
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    scheduler.step()
    total += loss.item()
    if step % o.log_every == 0:
        print(f"step {step:4d}: loss {total / o.log_every:.4f}", flush=True)
        total = 0

net.eval()
with torch.no_grad():
    total = sum(loss_of(net, draw_batch(valid)).item() for _ in range(20))
print(f"loss on the last tenth of the text: {total / 20:.4f}\n")
prompt = torch.tensor([[id_of["\n"]]])
print("".join(characters[i] for i in net.generate(prompt, o.generate, 0.8)[0].tolist()))
