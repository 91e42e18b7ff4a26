"""Writes tests/data/models.json: figures of networks from a seed, computed by PyTorch and torchvision.

    python scripts/golden/models.py tests/data/models.json

UNet and LSTMTagger are written below, because no package contains them.
"""
import json
import sys

import torch
import torchvision
from torch import nn


class DoubleConv(nn.Module):
    def __init__(self, cin, cout, mid):
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(cin, mid, 3, padding=1, bias=False), nn.BatchNorm2d(mid), nn.ReLU(inplace=True),
            nn.Conv2d(mid, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(cin, cout, cout))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, cin, cout, bilinear):
        super().__init__()
        self.up = (nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True) if bilinear
                   else nn.ConvTranspose2d(cin, cin // 2, 2, stride=2))
        self.conv = DoubleConv(cin, cout, cin // 2 if bilinear else cout)

    def forward(self, x, skip):
        x = self.up(x)
        h, w = skip.shape[2] - x.shape[2], skip.shape[3] - x.shape[3]
        x = nn.functional.pad(x, [w // 2, w - w // 2, h // 2, h - h // 2])
        return self.conv(torch.cat([skip, x], 1))


class OutConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 1)

    def forward(self, x):
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels, n_classes, bilinear=False):
        super().__init__()
        f = 2 if bilinear else 1
        self.inc = DoubleConv(n_channels, 64, 64)
        self.down1, self.down2, self.down3 = Down(64, 128), Down(128, 256), Down(256, 512)
        self.down4 = Down(512, 1024 // f)
        self.up1, self.up2 = Up(1024, 512 // f, bilinear), Up(512, 256 // f, bilinear)
        self.up3, self.up4 = Up(256, 128 // f, bilinear), Up(128, 64, bilinear)
        self.outc = OutConv(64, n_classes)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        return self.outc(self.up4(self.up3(self.up2(self.up1(self.down4(x4), x4), x3), x2), x1))


class LSTMTagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, vocab_size, tagset_size):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim)
        self.hidden2tag = nn.Linear(hidden_dim, tagset_size)

    def forward(self, sentence):
        states, _ = self.lstm(self.word_embeddings(sentence).view(len(sentence), 1, -1))
        return nn.functional.log_softmax(self.hidden2tag(states.view(len(sentence), -1)), 1)


VIT = dict(image_size=48, patch_size=8, num_layers=3, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=6,
           representation_size=20)
# Name, arguments, shape of the input; without a shape, only the weights are compared.
MODELS = [
    ("resnet18", {}, [2, 3, 64, 64]), ("resnet34", {"num_classes": 7, "zero_init_residual": True}, None),
    ("resnet50", {"num_classes": 10, "replace_stride_with_dilation": [False, True, True]}, [2, 3, 64, 64]),
    ("resnext50_32x4d", {"num_classes": 3}, [1, 3, 64, 64]), ("vgg11", {"num_classes": 2}, None),
    ("densenet121", {"num_classes": 10}, [2, 3, 64, 64]), ("mobilenet_v2", {"width_mult": 0.5}, [2, 3, 64, 64]),
    ("mobilenet_v3_small", {}, [2, 3, 64, 64]), ("mobilenet_v3_large", {"reduced_tail": True, "dilated": True}, [2, 3, 64, 64]),
    ("efficientnet_b0", {}, [2, 3, 64, 64]), ("efficientnet_b2", {"num_classes": 4}, None),
    ("convnext_tiny", {"num_classes": 5, "layer_scale": 0.5}, [2, 3, 64, 64]), ("VisionTransformer", VIT, None),
    ("UNet", {"n_channels": 1, "n_classes": 2}, [1, 1, 36, 50]),
    ("UNet", {"n_channels": 3, "n_classes": 1, "bilinear": True}, [1, 3, 32, 32]),
    ("LSTMTagger", {"embedding_dim": 6, "hidden_dim": 5, "vocab_size": 9, "tagset_size": 3}, [7]),
]


def figures(name, args, shape, seed):
    torch.manual_seed(seed)
    model = (globals().get(name) or getattr(torchvision.models, name))(**args)
    following = torch.rand(2).tolist()
    state = model.state_dict()
    row = {"name": name, "args": args, "seed": seed, "next": following,
           "parameters": sum(p.numel() for p in model.parameters()), "keys": [list(state)[i] for i in (0, len(state) // 2, -1)],
           "entries": len(state), "sum": float(sum(v.double().sum() for v in state.values())),
           "abs": float(sum(v.double().abs().sum() for v in state.values()))}
    if shape:
        x = torch.randint(0, args["vocab_size"], shape) if name == "LSTMTagger" else torch.rand(shape)
        with torch.no_grad():
            # In training mode, because activations vanish in evaluation mode before training.
            out = model(x).flatten()
        row |= {"input": shape, "outputs": out[:6].tolist(), "scale": float(out.abs().max())}
    return row


def main():
    torch.set_num_threads(1)
    rows = [figures(*model, seed=i + 1) for i, model in enumerate(MODELS)]
    with open(sys.argv[1], "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


if __name__ == "__main__":
    main()
