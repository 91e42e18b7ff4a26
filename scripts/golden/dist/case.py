"""Case: the fields and tensors of one distributed case as a rank reads them."""
import importlib
import re

import torch

from dist import models
from kit import values

CONTACT_LOST = ("Connection closed", "Timed out", "Read error", "timeout", "reset by peer", "connectFullMesh")


def resolve(value, rank):
    """A JSON value as one rank reads it: {"by_rank": [...]} becomes the item of the rank."""
    if isinstance(value, dict):
        if set(value) == {"by_rank"}:
            return resolve(value["by_rank"][rank], rank)
        return {key: resolve(item, rank) for key, item in value.items()}
    return [resolve(item, rank) for item in value] if isinstance(value, list) else value


class Case:
    """`double` runs the case in float64, except for integers, to measure how far rounding goes."""

    def __init__(self, fields, tensors, rank=0, double=False):
        self.fields, self.tensors, self.rank, self.double = fields, tensors, rank, double
        self.world, self.raised = fields["world"], None

    def tensor(self, role, of=None):
        tensor = self.tensors[f"{of or self.fields['id']}/{role}"].clone()
        return tensor.double() if self.double and tensor.dtype == torch.float32 else tensor

    def dtype(self, dtype):
        return torch.float64 if self.double and dtype == torch.float32 else dtype

    def __getitem__(self, key):
        return values.decode(resolve(self.fields[key], self.rank), self.tensor)

    def get(self, key, default=None):
        return self[key] if key in self.fields else default

    def __contains__(self, key):
        return key in self.fields

    def run(self, family):
        """Runs the case on this rank and returns the part of `expected` that concerns it."""
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.manual_seed(0)
        models.DOUBLE = self.double
        return getattr(importlib.import_module(f"dist.{family}"), "kind_" + self.fields["kind"])(self)

    def attempt(self, call):
        """The expectation of a case that fails: whether the call failed, or null on ranks that are not judged."""
        try:
            call()
        except Exception as error:
            self.raised = [type(error).__name__, first_sentence(str(error))]
        fails = self.raised is not None
        if self.rank not in self.get("judged", range(self.world)):
            fails = self.raised = None
        return {"fails": fails}


def first_sentence(text):
    """The first line of an error without folders and addresses, which differ from run to run."""
    if any(words in text for words in CONTACT_LOST):
        return "(lost contact with another rank: a timeout, or its connection was closed)"
    text = re.sub(r"\[(?:/[\w.+-]+)+:\d+\] ?", "", text.split("\n")[0])
    text = re.sub(r"\[rank\d\]:\[[^\]]*\] ?", "", text)
    text = re.sub(r"/(?:[\w.+-]+/)+", "", text)
    text = re.sub(r"\[?\b\d+\.\d+\.\d+\.\d+\b\]?(:\d+)?", "ADDRESS", text)
    return re.sub(r" at 0x[0-9a-f]+", "", text).encode("ascii", "ignore").decode()[:240].strip()
