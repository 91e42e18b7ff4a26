"""Family images: image files, CSV tables, tar archives."""

import io
import json
import os
import tempfile
import warnings

import numpy as np
import torch
from PIL import Image, ImageOps

from .case import attempt

Image.MAX_IMAGE_PIXELS = 1 << 24  # images with more than twice as many pixels are rejected


def by_torchvision(data, mode, exif):
    from torchvision.io import ImageReadMode, decode_image

    return decode_image(data, mode=ImageReadMode[mode], apply_exif_orientation=exif)


def by_pil(data, mode, exif):
    """Pixels (C, H, W), converted to a mode of PIL unless it is null. One bit becomes 0 and 255."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = Image.open(io.BytesIO(bytes(data.numpy().tobytes())))
        p.load()
    if exif:
        p = ImageOps.exif_transpose(p)
    p = p.convert(mode) if mode else p.convert("L") if p.mode == "1" else p
    a = np.asarray(p)
    a = a.astype(np.uint16) if a.dtype in (np.int32, np.uint16, np.dtype(">u2")) else a
    return torch.from_numpy((a[None] if a.ndim == 2 else a.transpose(2, 0, 1)).copy())


DECODERS = {"torchvision": by_torchvision, "PIL": by_pil}


def kind_decode(c):
    x = DECODERS[c["by"]](c["file"], c["mode"], c["exif"])
    if x.dtype == torch.uint16:  # stored as int32: the format of tensors has no uint16
        return {"bits": 16, "pixels": x.to(torch.int32)}
    return {"bits": 8, "pixels": x}


def kind_broken(c):
    """Each named decoder must reject the file."""
    return {
        by: attempt(lambda: DECODERS[by](c["file"], "UNCHANGED" if by == "torchvision" else None, False))
        for by in c["by"]
    }


def kind_hostile(c):
    """Each named decoder must return, with an error or with pixels."""
    for by in c["by"]:
        attempt(lambda: DECODERS[by](c["file"], "UNCHANGED" if by == "torchvision" else None, False))
    return {"returned": True}


def kind_encode(c):
    """The pixels after encoding and decoding."""
    from torchvision import io as tio

    data = getattr(tio, c["name"])(c["input"], **c["args"])
    return {"pixels": by_torchvision(data, "UNCHANGED", False)}


def read_csv(c):
    import pandas as pd

    data = c["text"].encode(c.get("encoding", "utf-8"), "surrogateescape")
    return pd.read_csv(io.BytesIO(data), **c["args"])


def column(s):
    import pandas as pd

    kind = "string" if isinstance(s.dtype, pd.StringDtype) else str(s.dtype)
    values = [None if pd.isna(v) and kind in ("string", "object") else v.item() if hasattr(v, "item") else v for v in s]
    return {"name": str(s.name), **({"dtype": kind} if kind != "object" else {}), "values": values}


def kind_csv(c):
    t = read_csv(c)
    return {"rows": len(t), "columns": [column(t[k]) for k in t.columns]}


def kind_csv_error(c):
    return attempt(lambda: read_csv(c))


def samples(c):
    import webdataset as wds

    with tempfile.TemporaryDirectory() as tmp:
        urls = []
        for k, shard in enumerate(c["shards"]):
            urls.append(
                os.path.join(tmp, f"shard-{k}.tar" + (".gz" if bytes(shard[:2].tolist()) == b"\x1f\x8b" else ""))
            )
            with open(urls[-1], "wb") as f:
                f.write(shard.numpy().tobytes())
        d = wds.WebDataset(urls, shardshuffle=False)
        if c["decode"]:
            d = d.decode()
        out = []
        for s in d:
            fields = []
            for k in s:
                if not k.startswith("__"):
                    v = s[k]
                    fields.append(
                        [k, v if isinstance(v, (bytes, str, int)) else {"json": json.dumps(v, sort_keys=True)}]
                    )
            out.append({"key": s["__key__"], "fields": fields})
        return out


def kind_shards(c):
    return {"samples": samples(c)}


def kind_shards_error(c):
    return attempt(lambda: samples(c))
