"""Rows about networks of common sizes: ResNet-18 and a small GPT-2."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from timing import faster_layout, per_call

WIDTH, HEADS, VOCABULARY, LENGTH = 384, 6, 50257, 256


def conv(n_in, n_out, kernel, stride):
    return nn.Conv2d(n_in, n_out, kernel, stride=stride, padding=kernel // 2, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.conv1, self.bn1 = conv(n_in, n_out, 3, 1 if n_in == n_out else 2), nn.BatchNorm2d(n_out)
        self.conv2, self.bn2 = conv(n_out, n_out, 3, 1), nn.BatchNorm2d(n_out)
        self.downsample = None if n_in == n_out else nn.Sequential(conv(n_in, n_out, 1, 2), nn.BatchNorm2d(n_out))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)), inplace=True)))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)), inplace=True)


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = conv(3, 64, 7, 2), nn.BatchNorm2d(64)
        widths = (64, 64, 64, 128, 128, 256, 256, 512, 512)
        self.layers = nn.Sequential(*(BasicBlock(a, b) for a, b in zip(widths, widths[1:])))
        self.fc = nn.Linear(512, 1000)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x)), inplace=True), 3, stride=2, padding=1)
        return self.fc(F.adaptive_avg_pool2d(self.layers(x), 1).flatten(1))


def resnet18_step():
    def make(layout):
        net = ResNet18().to(memory_format=layout)
        opt = torch.optim.SGD(net.parameters(), lr=0.01)
        x, y = torch.randn(8, 3, 224, 224).to(memory_format=layout), torch.randint(1000, (8,))

        def run():
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()

        return run

    return faster_layout(make, 1) * 1e3


def resnet18_inference(batch):
    def row():
        def make(layout):
            net = ResNet18().eval().to(memory_format=layout)
            x = torch.randn(batch, 3, 224, 224).to(memory_format=layout)

            def run():
                with torch.inference_mode():
                    net(x)

            return run

        return faster_layout(make, 1) * 1e3

    return row


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.projection = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        n, length, _ = x.shape
        q, k, v = (t.view(n, length, HEADS, -1).transpose(1, 2) for t in self.attention(self.ln_1(x)).chunk(3, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(y.transpose(1, 2).reshape(n, length, WIDTH))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.h = nn.Sequential(*(Block() for _ in range(6)))
        self.ln_f = nn.LayerNorm(WIDTH)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        return F.linear(self.ln_f(self.h(x)), self.wte.weight)


def gpt2_step():
    net = GPT2()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-4)
    x, y = torch.randint(VOCABULARY, (4, LENGTH)), torch.randint(VOCABULARY, (4 * LENGTH,))

    def run():
        opt.zero_grad()
        F.cross_entropy(net(x).view(-1, VOCABULARY), y).backward()
        opt.step()

    return per_call(run, 1) * 1e3


ROWS = {
    "resnet18_step": resnet18_step,
    "resnet18_inference_8": resnet18_inference(8),
    "resnet18_inference_1": resnet18_inference(1),
    "gpt2_step": gpt2_step,
}
