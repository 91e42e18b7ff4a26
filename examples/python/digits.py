import gzip

import torch
import torch.nn.functional as F

FOLDER = __file__.removesuffix("examples/python/digits.py") + "data/digits/"


def read(name, header):
    data = gzip.open(FOLDER + name).read()
    return torch.frombuffer(bytearray(data[header:]), dtype=torch.uint8)


def images():
    pixels = read("digits-images.idx3-ubyte.gz", 16).view(-1, 1, 8, 8)
    return F.interpolate(pixels.float() / 16, size=(16, 16), mode="bilinear")


def labels():
    return read("digits-labels.idx1-ubyte.gz", 8).long()


def show(batch):
    """Prints images (N, 1, H, W) side by side; a character is two pixels."""
    pixels = F.avg_pool2d(batch.detach().clamp(0, 1), (2, 1))
    for line in pixels.permute(2, 0, 1, 3).flatten(1).tolist():
        print("".join(" .:-=+*#%@"[min(int(value * 10), 9)] for value in line))
