"""Python version of examples/text_classifier.cpp; prints the same output."""

import math

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

TOKENS, CLASSES, PADDING, MAX_LENGTH = 20, 4, 0, 10
FEATURES, HEADS, FEED_FORWARD = 32, 4, 64


def draw(low, high):
    return torch.randint(low, high, ()).item()


def make_sentences(count):
    sentences = []
    for _ in range(count):
        length, label = draw(3, MAX_LENGTH + 1), draw(0, CLASSES)
        tokens = torch.randint(1 + CLASSES, TOKENS, (length,))
        first = draw(0, length - 1)
        second = draw(first + 1, length)
        tokens[first] = 1 + label
        tokens[second] = draw(1, 1 + CLASSES)
        sentences.append((tokens, label))
    return sentences


def pad_batch(sentences):
    tokens, labels = zip(*sentences)
    return nn.utils.rnn.pad_sequence(tokens, batch_first=True), torch.tensor(labels)


class PositionalEncoding(nn.Module):
    def __init__(self, features, max_length):
        super().__init__()
        position = torch.arange(max_length).unsqueeze(1)
        rate = torch.exp(torch.arange(0, features, 2) * (-math.log(1e4) / features))
        table = torch.zeros(max_length, features)
        table[..., ::2] = torch.sin(position * rate)
        table[..., 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[:x.size(1)]


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, FEATURES, padding_idx=PADDING)
        self.position = PositionalEncoding(FEATURES, MAX_LENGTH)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(FEATURES, HEADS, dim_feedforward=FEED_FORWARD, dropout=0.0, batch_first=True),
            2)
        self.head = nn.Linear(FEATURES, CLASSES)

    def forward(self, tokens):
        padding = tokens == PADDING
        x = self.encoder(self.position(self.embedding(tokens)), src_key_padding_mask=padding)
        weight = (~padding).unsqueeze(-1).float()
        return self.head((x * weight).sum(1) / weight.sum(1))


torch.manual_seed(5)
train = DataLoader(make_sentences(512), batch_size=32, shuffle=True, collate_fn=pad_batch)
test = DataLoader(make_sentences(128), batch_size=128, collate_fn=pad_batch)
net = TextClassifier()
print(net)
print(sum(p.numel() for p in net.parameters()), "parameters")
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, (step + 1) / 20))
for epoch in range(6):
    total = 0
    for tokens, labels in train:
        opt.zero_grad()
        loss = F.cross_entropy(net(tokens), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        scheduler.step()
        total += loss.item()
    print(f"epoch {epoch + 1}: loss {total / len(train):.2f}")
net.eval()
correct = 0
with torch.no_grad():
    for tokens, labels in test:
        correct += (net(tokens).argmax(1) == labels).sum().item()
print("accuracy above 0.9:", correct / len(test.dataset) > 0.9)
