"""Rows about loading data: PyTorch's loader, torchvision's resize, pandas' reader of CSV."""
import functools
import time

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from files import place
from timing import per_call

IMAGES = 60_000


def normalized(x):
    return (x.float() / 255.0 - 0.13) / 0.31


class Digits(Dataset):
    def __init__(self):
        self.images = torch.randint(256, (IMAGES, 1, 28, 28)).to(torch.uint8)
        self.labels = torch.randint(10, (IMAGES,))

    def __len__(self):
        return IMAGES

    def __getitem__(self, i):
        return normalized(self.images[i]), self.labels[i]


class DigitBatches(Digits):
    def __getitems__(self, indices):
        rows = torch.tensor(indices)
        return normalized(self.images[rows]), self.labels[rows]


def epoch(dataset, **options):
    def row():
        loader = DataLoader(dataset(), batch_size=64, shuffle=True, num_workers=2, **options)
        start = time.perf_counter()
        for _ in loader:
            pass
        return (time.perf_counter() - start) * 1e3

    return row


def resize(dtype):
    def row():
        from torchvision.transforms.v2.functional import resize

        smooth = F.interpolate(torch.rand(32, 3, 16, 16), size=(256, 256), mode="bicubic")
        images = (smooth * 200 + torch.randn(32, 3, 256, 256) * 4 + 20).clamp(0, 255).to(dtype)
        return per_call(lambda: resize(images, [224, 224])) * 1e3

    return row


@functools.cache
def table():
    path = place() / "table.csv"
    with open(path, "w") as file:
        file.write("a,b,c,d,e,f,g,h,i,j\n")
        for row in torch.randn(1_000_000, 10).tolist():
            file.write(",".join(f"{v:.6f}" for v in row) + "\n")
    return path


def csv():
    import pandas

    path = table()
    start = time.perf_counter()
    pandas.read_csv(path, engine="c")
    return (time.perf_counter() - start) * 1e3


ROWS = {
    "loader": epoch(Digits),
    "loader_batches": epoch(DigitBatches, collate_fn=lambda batch: batch),
    "resize_float": resize(torch.float32),
    "resize_bytes": resize(torch.uint8),
    "csv": csv,
}
