"""Case: the fields and tensors of one case as Python values, and helpers of the functions that run cases."""
import re

import torch

from kit import values

RAISED = {}  # type and message of the last exception that `attempt` has caught


class Case:
    """`tensors` maps `<id>/<role>` to the tensors of the family, `folder` contains the files of cases."""

    def __init__(self, fields, tensors, folder=None):
        self.fields, self.tensors, self.folder = fields, tensors, folder

    def tensor(self, role, of=None):
        """A copy, which a run may change."""
        return self.tensors[f"{of or self.fields['id']}/{role}"].clone()

    def __getitem__(self, key):
        return values.decode(self.fields[key], self.tensor)

    def get(self, key, default=None):
        return self[key] if key in self.fields else default

    def __contains__(self, key):
        return key in self.fields


def next_draw():
    """Two numbers of the global generator, which show how many a run has consumed."""
    return torch.rand(2)


def attempt(call):
    """The expectation of a case of kind `error`: the call fails."""
    RAISED.clear()
    try:
        call()
    except Exception as error:
        text = re.sub(r"/(?:[\w.+-]+/)+", "", str(error).split("\n")[0])  # no folders, no addresses
        RAISED.update(exception=type(error).__name__, message=re.sub(r" at 0x[0-9a-f]+", "", text)[:200])
    return {"fails": bool(RAISED)}
