"""The examples of docs/transforms.md, and the output that examples/transforms.cpp must print."""
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2


def training_transform():
    return v2.Compose([v2.RandomResizedCrop([24, 24]),
                       v2.RandomHorizontalFlip(),
                       v2.ColorJitter(brightness=0.2, saturation=0.2),
                       v2.ToDtype(torch.float32, scale=True),
                       v2.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25])])


class LabeledImages(Dataset):
    def __init__(self, images, labels, transform):
        self.images, self.labels, self.transform = images, labels, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.labels[i]


def show(x):
    x = x.float() if not x.is_floating_point() else x
    print(f"{list(x.shape)} {x.mean():.3f} {x.std():.3f}")


torch.manual_seed(0)
dataset = LabeledImages(torch.randint(256, (8, 3, 32, 32), dtype=torch.uint8), torch.arange(8), training_transform())
show(dataset[0][0])

mix = v2.MixUp(alpha=0.4, num_classes=8)
loader = DataLoader(dataset, batch_size=4, shuffle=True)
for images, labels in loader:
    mixed, shares = mix(images, labels)
    show(mixed)
    show(shares)

# Crops an image and its mask to the same box.
image = dataset.images[0]
mask = image > 127
crop = v2.RandomCrop([20, 20])
params = crop.make_params([image])
show(crop.transform(image, params))
show(crop.transform(mask, params))

# Five crops of an image as a batch.
show(v2.ToDtype(torch.float32, scale=True)(torch.stack(v2.functional.five_crop(image, [28, 28]))))
