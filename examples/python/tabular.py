"""Python version of examples/tabular.cpp; prints the same output."""

import os
import pandas as pd
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics import R2Score
from torchmetrics.classification import MulticlassAccuracy

DATA = os.path.dirname(os.path.abspath(__file__)) + "/../../data/tabular/"


def split(x, y):
    """Standardizes the columns by their training rows."""
    rows = random_split(range(len(y)), [0.8, 0.2])
    train, test = (torch.tensor(list(part)) for part in rows)
    mean, std = x[train].mean(0), x[train].std(0)
    x = (x - mean) / std
    return TensorDataset(x[train], y[train]), (x[test], y[test])


def fit(train, outputs, loss_fn, epochs):
    net = nn.Sequential(nn.Linear(train.tensors[0].size(1), 32), nn.ReLU(), nn.Linear(32, outputs))
    opt = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.1)
    loader = DataLoader(train, batch_size=32, shuffle=True)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss_fn(net(x), y).backward()
            opt.step()
    return net


for name in ("breast_cancer", "wine"):
    torch.manual_seed(0)
    table = pd.read_csv(DATA + name + ".csv")
    codes, classes = table["class"].factorize()
    features = torch.tensor(table.drop(columns="class").to_numpy("float32"))
    train, (x, y) = split(features, torch.tensor(codes))
    net = fit(train, len(classes), F.cross_entropy, 20)
    accuracy = MulticlassAccuracy(num_classes=len(classes), average="micro")
    print(f"{name}: {len(table)} rows, {len(classes)} classes, accuracy {accuracy(net(x), y):.3f}")

torch.manual_seed(0)
table = pd.read_csv(DATA + "diabetes.csv")
features = torch.tensor(table.drop(columns="progression").to_numpy("float32"))
target = torch.tensor(table["progression"].to_numpy("float32"))
train, (x, y) = split(features, target)
mean, std = train.tensors[1].mean(), train.tensors[1].std()
net = fit(train, 1, lambda output, y: F.mse_loss(output.squeeze(1), (y - mean) / std), 30)
with torch.no_grad():
    predicted = net(x).squeeze(1) * std + mean
print(f"diabetes: {len(table)} rows, R2 {R2Score()(predicted, y):.2f}")
