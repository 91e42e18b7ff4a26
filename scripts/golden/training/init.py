"""Family init: values that functions of torch.nn.init write under a seed, gains, errors."""
import hashlib

import torch
from torch import nn

from training.case import DTYPES, NAMES, error_row


def bytes_of(tensor):
    return bytes(tensor.detach().contiguous().reshape(-1).view(torch.uint8).tolist())


def state_entry(old, key, tensor):
    """`stability` tells on which processors the bits are equal, which one run cannot find out."""
    return {"key": key, "dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
            "sha256": hashlib.sha256(bytes_of(tensor)).hexdigest(), "stability": old["stability"]}


def kind_function(c):
    result = torch.full(c["shape"], -9.0, dtype=DTYPES[c["dtype"]])
    torch.manual_seed(c["seed"])
    getattr(nn.init, c["function"])(result, **c["kwargs"])
    c["state"] = [state_entry(c["state"][0], "out", result)]
    c.put("out", result)
    c.put("__next", torch.rand(2))


def kind_gain_table(c):
    c["table"] = [{**row, "gain": nn.init.calculate_gain(row["nonlinearity"], row["param"])} for row in c["table"]]
    c["errors"] = [error_row(row, lambda: nn.init.calculate_gain(row["nonlinearity"], row["param"]))
                   for row in c["errors"]]


def kind_errors(c):
    c["rows"] = [error_row(row, lambda: getattr(nn.init, row["function"])(torch.empty(row["shape"]), **row["kwargs"]))
                 for row in c["rows"]]
