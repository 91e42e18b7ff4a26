"""Python version of examples/lstm_tagger.cpp; prints the same output."""

import argparse
import collections
import re
import subprocess

import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

MARKS = " ,.:;?!"  # the tags; a space: no mark

parser = argparse.ArgumentParser()
parser.add_argument("--text")
parser.add_argument("--steps", type=int, default=1500)
parser.add_argument("--log-every", type=int, default=100)
parser.add_argument("--seed", type=int, default=1)
o = parser.parse_args()


def read_verses(path):
    """Verses as lists of words and lists of the marks after them."""
    if path:
        text = open(path).read()
    else:
        command = ["bible", "gen1:1-rev22:21"]
        text = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    verses, inside = [], False
    for line in text.split("\n"):
        begins = re.match("  [0-9]", line) is not None
        inside = begins or (inside and line != "")
        if begins:
            verses.append(([], []))
        for token in line.split() if inside else []:
            word = re.sub("[^a-z'-]", "", token.lower())
            if word:
                verses[-1][0].append(word)
                verses[-1][1].append(max(0, MARKS.find(token[-1])))
    return verses


def with_marks(words, tags):
    return " ".join(word + MARKS[tag].strip() for word, tag in zip(words, tags))


def encode(words):
    return torch.tensor([id_of.get(word, 1) for word in words])


def make_batch(verses):
    ids = pad_sequence([encode(words) for words, _ in verses], batch_first=True)
    tags = pad_sequence([torch.tensor(marks) for _, marks in verses], batch_first=True, padding_value=-100)
    return ids, torch.tensor([len(words) for words, _ in verses]), tags


class Tagger(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, 64, padding_idx=0)
        self.lstm = nn.LSTM(64, 128, batch_first=True, bidirectional=True)
        self.head = nn.Linear(256, len(MARKS))

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        return self.head(pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])


verses = read_verses(o.text)
split = len(verses) * 9 // 10
train, test = verses[:split], verses[split:]
counts = collections.Counter(word for words, _ in train for word in words)
id_of = {word: i + 2 for i, word in enumerate(sorted(w for w, n in counts.items() if n >= 3))}
print(f"{len(verses)} verses, {len(id_of) + 2} different words")

torch.manual_seed(o.seed)
net = Tagger(len(id_of) + 2)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
total = 0
for step in range(1, o.steps + 1):
    ids, lengths, tags = make_batch([train[i] for i in torch.randint(len(train), (32,)).tolist()])
    opt.zero_grad()
    loss = F.cross_entropy(net(ids, lengths).flatten(0, 1), tags.flatten())
    loss.backward()
    opt.step()
    total += loss.item()
    if step % o.log_every == 0:
        print(f"step {step:4d}: loss {total / o.log_every:.4f}", flush=True)
        total = 0

confusion = torch.zeros(len(MARKS), len(MARKS), dtype=torch.int64)
shown = []
with torch.no_grad():
    for i in range(0, len(test), 64):
        part = test[i:i + 64]
        ids, lengths, tags = make_batch(part)
        predicted = net(ids, lengths).argmax(2)
        valid = tags >= 0
        cell = tags[valid] * len(MARKS) + predicted[valid]
        confusion += torch.bincount(cell, minlength=confusion.numel()).view_as(confusion)
        if i == 0:
            shown = [with_marks(words, row) for (words, _), row in zip(part[:4], predicted.tolist())]


def share(part, all):
    return 100 * part.sum().item() / max(1, all.sum().item())


print(f"correct: {share(confusion.diagonal(), confusion):.2f} % of the words of the last tenth of the text")
for mark in range(1, len(MARKS)):
    print(f"  '{MARKS[mark]}': {share(confusion[mark][mark], confusion[mark]):5.1f} % found,",
          f"{share(confusion[mark][mark], confusion[:, mark]):5.1f} % of those set are correct")
print()
for text in shown:
    print(" ", text)
