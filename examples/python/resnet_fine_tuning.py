"""Python version of examples/resnet_fine_tuning.cpp."""

import argparse
import os
import shutil

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.io import ImageReadMode, decode_image, write_png
from torchvision.models import resnet18
from torchvision.transforms import v2

import digits

parser = argparse.ArgumentParser()
parser.add_argument("--base-images", type=int, default=140)
parser.add_argument("--base-epochs", type=int, default=4)
parser.add_argument("--images", type=int, default=20)
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--out", default="resnet_digits")
o = parser.parse_args()


def write_folder(root, first, last, low, per_digit):
    images = F.interpolate(digits.images(), scale_factor=2, mode="bilinear")
    pixels, labels = (images * 255).round().to(torch.uint8), digits.labels()
    count = [0] * 10
    for i in range(first, last):
        digit = labels[i].item()
        if low <= digit <= low + 4 and count[digit] < per_digit:
            count[digit] += 1
            os.makedirs(f"{root}/{digit}", exist_ok=True)
            write_png(pixels[i], f"{root}/{digit}/{i:04d}.png")


def open_folder(root, augment):
    steps = [v2.RandomCrop(32, padding=3)] if augment else []
    steps += [v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]
    return ImageFolder(root, transform=v2.Compose(steps), loader=lambda path: decode_image(path, ImageReadMode.RGB))


def train(name, net, opt, root, epochs):
    loader = DataLoader(open_folder(root, True), batch_size=25, shuffle=True)
    net.train()
    for epoch in range(1, epochs + 1):
        total = 0
        for images, targets in loader:
            opt.zero_grad()
            loss = F.cross_entropy(net(images), targets)
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"{name}, epoch {epoch:2d}: loss {total / len(loader):.3f}", flush=True)


@torch.no_grad()
def test(name, net, folder):
    net.eval()
    predicted = torch.cat([net(images).argmax(1) for images, _ in DataLoader(folder, batch_size=100)])
    correct = (predicted == torch.tensor(folder.targets)).float().mean()
    print(f"{name}: {100 * correct:.1f} % of {len(folder)} test images")
    return predicted


shutil.rmtree(o.out, ignore_errors=True)
write_folder(f"{o.out}/base", 0, 1437, 0, o.base_images)
write_folder(f"{o.out}/train", 0, 1437, 5, o.images)
write_folder(f"{o.out}/test", 1437, 1797, 5, 360)
test_set = open_folder(f"{o.out}/test", False)

torch.manual_seed(o.seed)
base = resnet18(num_classes=5)
base_opt = torch.optim.SGD(base.parameters(), lr=0.02, momentum=0.9)
train("digits 0 to 4", base, base_opt, f"{o.out}/base", o.base_epochs)
torch.save(base.state_dict(), f"{o.out}/resnet18.pt")

fresh = resnet18(num_classes=5)
fresh_opt = torch.optim.SGD(fresh.parameters(), lr=0.02, momentum=0.9)
train("from the beginning", fresh, fresh_opt, f"{o.out}/train", o.epochs)

net = resnet18(num_classes=5)
net.load_state_dict(torch.load(f"{o.out}/resnet18.pt"))
net.fc = nn.Linear(512, 5)
head = list(net.fc.parameters())
backbone = [p for name, p in net.named_parameters() if not name.startswith("fc.")]
opt = torch.optim.SGD([{"params": backbone}, {"params": head, "lr": 0.02}], lr=0.005, momentum=0.9)
train("fine-tuned", net, opt, f"{o.out}/train", o.epochs)

test("from the beginning", fresh, test_set)
predicted = test("fine-tuned", net, test_set)
first = [test_set.targets.index(c) for c in range(5)]
print("\nthe first test image of each digit, read as", *[test_set.classes[predicted[i]] for i in first], end=":\n")
shown = [decode_image(test_set.samples[i][0], ImageReadMode.GRAY).float() / 255 for i in first]
digits.show(F.avg_pool2d(torch.stack(shown), 2))
