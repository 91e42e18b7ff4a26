"""Family checkpoint: contents of folders that torch.distributed.checkpoint has written."""

import os
import tempfile

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.metadata import TensorStorageMetadata

from kit.values import Data


def kind_dcp(c):
    """The entries of .metadata and all values of a checkpoint."""
    with tempfile.TemporaryDirectory(prefix="dist") as folder:
        for name, content in c["files"].items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(bytes(content.tolist()))
        reader = dcp.FileSystemReader(folder)
        meta = reader.read_metadata()
        entries, template = {}, {}
        for name, m in meta.state_dict_metadata.items():
            places = sorted(
                (
                    [list(i.offset) if i.offset is not None else None, s.relative_path, s.offset, s.length]
                    for i, s in meta.storage_data.items()
                    if i.fqn == name
                ),
                key=lambda p: p[0] or [],
            )
            entry = {
                "path": list(meta.planner_data[name]),
                "pieces": [{"file": p[1], "offset": p[2], "length": p[3]} for p in places],
            }
            if isinstance(m, TensorStorageMetadata):
                entry.update(
                    dtype=str(m.properties.dtype)[6:],
                    shape=list(m.size),
                    chunks=[{"offsets": list(k.offsets), "sizes": list(k.sizes)} for k in m.chunks],
                )
                template[name] = torch.empty(m.size, dtype=m.properties.dtype)
            else:
                template[name] = None
            entries[name] = entry
        dcp.load(template, storage_reader=reader, no_dist=True)
    return {"entries": entries, "values": Data((k, v) for k, v in template.items())}
