"""The examples of docs/images.md, and the output that examples/images.cpp must print."""
import os

import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.datasets import ImageFolder
from torchvision.io import ImageReadMode, decode_image, read_file, read_image, write_jpeg, write_png
from torchvision.transforms import v2


def write_images(root):
    for k, name in enumerate(["cat", "dog"]):
        os.makedirs(f"{root}/{name}", exist_ok=True)
        for i in range(3):
            image = (torch.arange(3 * 20 * 30).reshape(3, 20, 30) * (i + 1) // 10 + 40 * k) % 256
            write_png(image.to(torch.uint8), f"{root}/{name}/{i}.png")


class ImageFiles(Dataset):
    """Gray images, which a worker reads and decodes."""

    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return decode_image(read_file(self.paths[i]), ImageReadMode.GRAY).float()


def show(image):
    print(f"{list(image.shape)} {image.float().mean():.1f}")


write_images("pictures")
image = read_image("pictures/cat/0.png")
show(image)
show(read_image("pictures/cat/0.png", ImageReadMode.GRAY))
show(read_image("pictures/cat/0.png", ImageReadMode.RGB_ALPHA))

write_jpeg(image, "picture.jpg", quality=95)
data = read_file("picture.jpg")
show(decode_image(data, ImageReadMode.RGB, apply_exif_orientation=True))

to_input = v2.Compose([v2.ToImage(), v2.Resize([16, 16]), v2.ToDtype(torch.float32, scale=True)])
train = ImageFolder("pictures", transform=to_input)
print(*train.classes, len(train))
for images, targets in DataLoader(train, batch_size=4):
    show(255 * images)
    print(targets.tolist())

files = ImageFiles(["pictures/cat/0.png", "pictures/cat/1.png", "pictures/dog/0.png"])
loader = DataLoader(files, batch_size=2, num_workers=2, prefetch_factor=4)
for images in loader:
    show(images)
