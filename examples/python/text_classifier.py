import math

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

TOKENS, CLASSES, PADDING = 20, 4, 0


class Sentences(Dataset):
    def __init__(self, count, state):
        self.items = []

        def draw(n):
            nonlocal state
            state = (state * 1664525 + 1013904223) % 2**32
            return (state >> 16) % n

        for _ in range(count):
            length, label = 3 + draw(8), draw(CLASSES)
            tokens = [5 + draw(TOKENS - 5) for _ in range(length)]
            first = draw(length - 1)
            tokens[first] = 1 + label
            second = first + 1 + draw(length - 1 - first)
            tokens[second] = 1 + draw(CLASSES)
            self.items.append((torch.tensor(tokens), label))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def pad_batch(sentences):
    tokens, labels = zip(*sentences)
    return nn.utils.rnn.pad_sequence(tokens, batch_first=True), torch.tensor(labels)


class PositionalEncoding(nn.Module):
    def __init__(self, features, max_length):
        super().__init__()
        position = torch.arange(max_length).unsqueeze(1)
        rate = torch.exp(torch.arange(0, features, 2) * (-math.log(1e4) / features))
        table = torch.zeros(max_length, features)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[0:x.size(1)]


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, 32, padding_idx=PADDING)
        self.position = PositionalEncoding(32, 64)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, dropout=0.0, batch_first=True), 2)
        self.head = nn.Linear(32, CLASSES)

    def forward(self, tokens):
        padding = tokens == PADDING
        x = self.encoder(self.position(self.embedding(tokens)), src_key_padding_mask=padding)
        weight = (~padding).unsqueeze(-1).float()
        return self.head((x * weight).sum(1) / weight.sum(1))


train = DataLoader(Sentences(512, 1), batch_size=32, shuffle=True, collate_fn=pad_batch)
test = DataLoader(Sentences(128, 2), batch_size=128, collate_fn=pad_batch)
torch.manual_seed(3)
net = TextClassifier()
print(net)
print(sum(p.numel() for p in net.parameters()), "parameters")
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, (step + 1) / 20))
for epoch in range(6):
    total = 0
    for tokens, labels in train:
        opt.zero_grad()
        loss = F.cross_entropy(net(tokens), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        schedule.step()
        total += loss.item()
    print(f"epoch {epoch + 1}: loss {total / len(train):.2f}")
net.eval()
with torch.no_grad():
    for tokens, labels in test:
        correct = (net(tokens).argmax(1) == labels).sum().item()
        print("accuracy above 0.9:", "yes" if correct / len(labels) > 0.9 else "no")
