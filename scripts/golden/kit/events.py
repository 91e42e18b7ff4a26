"""Family events: files of SummaryWriter and their contents."""

import glob
import io
import logging
import os
import shutil
import tempfile
import time
import wave
from unittest import mock

import numpy as np
import torch
from google.protobuf.json_format import MessageToDict
from PIL import Image

logging.getLogger("tensorboard").setLevel(logging.ERROR)
CLOCK = 1700000000.25  # the time of calls without walltime


def log(calls, folder):
    """Makes the calls of a SummaryWriter. The names of its files do not depend on host and time."""
    from torch.utils.tensorboard import SummaryWriter

    with mock.patch.object(time, "time", lambda: CLOCK):
        options, rest = (calls[0]["args"], calls[1:]) if calls and calls[0]["do"] == "open" else ({}, calls)
        w = SummaryWriter(folder, **options)
        for c in rest:
            getattr(w, c["do"])(**c["args"])
        w.close()
    for path in sorted(glob.glob(os.path.join(folder, "**", "events.out.tfevents.*"), recursive=True)):
        os.rename(path, os.path.join(os.path.dirname(path), "events.out.tfevents.0000000000.host"))


def tensor_of(p):
    """A TensorProto as text or tensor."""
    shape = [d.size for d in p.tensor_shape.dim]
    if p.dtype == 7:  # DT_STRING
        return [s.decode() for s in p.string_val]
    dtype = {
        1: np.float32,
        2: np.float64,
        3: np.int32,
        4: np.uint8,
        5: np.int16,
        6: np.int8,
        9: np.int64,
        10: np.bool_,
        19: np.float16,
    }[p.dtype]
    if p.tensor_content:
        flat = np.frombuffer(p.tensor_content, dtype=dtype)
    else:
        flat = np.array(
            list(
                {1: p.float_val, 2: p.double_val, 3: p.int_val, 9: p.int64_val, 10: p.bool_val}.get(p.dtype, p.int_val)
            ),
            dtype=dtype,
        )
    n = int(np.prod(shape)) if shape else 1
    if flat.size == 1 and n > 1:
        flat = np.repeat(flat, n)
    return torch.from_numpy(flat.reshape(shape).copy())


def hparams(content):
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    d = HParamsPluginData.FromString(content)
    which = d.WhichOneof("data")
    message = MessageToDict(getattr(d, which), preserving_proto_field_name=True)
    return {
        "version": d.version,
        which: {k: dict(sorted(v.items())) if isinstance(v, dict) else v for k, v in message.items()},
    }


def value_record(v):
    """One Summary.Value."""
    what, plugin = v.WhichOneof("value"), v.metadata.plugin_data.plugin_name
    if what == "simple_value":
        return {"kind": "scalar", "value": float(v.simple_value)}
    if what == "histo":
        h = v.histo
        return {
            "kind": "histogram",
            "min": h.min,
            "max": h.max,
            "num": h.num,
            "sum": h.sum,
            "sum_squares": h.sum_squares,
            "limits": torch.tensor(list(h.bucket_limit), dtype=torch.float64),
            "counts": torch.tensor(list(h.bucket), dtype=torch.float64),
        }
    if what == "image":
        picture = Image.open(io.BytesIO(v.image.encoded_image_string))
        return {
            "kind": "image",
            "format": picture.format,
            "height": v.image.height,
            "width": v.image.width,
            "colorspace": v.image.colorspace,
            "pixels": torch.from_numpy(np.asarray(picture).copy()),
        }
    if what == "audio":
        a = v.audio
        with wave.open(io.BytesIO(a.encoded_audio_string)) as f:
            samples = torch.from_numpy(np.frombuffer(f.readframes(f.getnframes()), dtype="<i2").copy())
        return {
            "kind": "audio",
            "sample_rate": float(a.sample_rate),
            "num_channels": a.num_channels,
            "length_frames": a.length_frames,
            "content_type": a.content_type,
            "samples": samples,
        }
    if plugin == "hparams":
        return {"kind": "hparams", **hparams(v.metadata.plugin_data.content)}
    if plugin == "custom_scalars":
        from tensorboard.plugins.custom_scalar.layout_pb2 import Layout

        return {
            "kind": "layout",
            "layout": MessageToDict(Layout.FromString(v.tensor.string_val[0]), preserving_proto_field_name=True),
        }
    if plugin == "text":
        return {"kind": "text", "text": tensor_of(v.tensor)}
    if plugin == "pr_curves":
        from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

        return {
            "kind": "pr_curve",
            "num_thresholds": PrCurvePluginData.FromString(v.metadata.plugin_data.content).num_thresholds,
            "tensor": tensor_of(v.tensor),
        }
    return {"kind": "tensor", "plugin": plugin, "tensor": tensor_of(v.tensor)}


def records(path):
    """All records of an event file in order. The reader verifies checksums and stops where the file is cut."""
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    out = []
    for raw in RawEventFileLoader(path).Load():
        e = Event.FromString(raw)
        what = e.WhichOneof("what")
        head = {"step": e.step, "wall_time": e.wall_time}
        if what == "file_version":
            out.append({**head, "kind": "version", "file_version": e.file_version})
        elif what == "session_log":
            out.append({**head, "kind": "session", "status": int(e.session_log.status)})
        elif what == "summary":
            out += [{**head, "tag": v.tag, **value_record(v)} for v in e.summary.value]
        else:
            out.append({**head, "kind": str(what)})
    return out


def runs(folder):
    """Records by run, which is the relative path of the folder with the files ("." is the folder itself)."""
    out = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*tfevents*"), recursive=True)):
        out.setdefault(os.path.relpath(os.path.dirname(path), folder), []).extend(records(path))
    return out


def accumulated(folder):
    """Tags by run and kind, and scalars, as EventAccumulator of TensorBoard finds them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    out = {}
    for run in runs(folder):
        a = EventAccumulator(os.path.join(folder, run))
        a.Reload()
        tags = {k: sorted(v) for k, v in a.Tags().items() if isinstance(v, list) and v}
        out[run] = {
            **tags,
            "scalar_values": {t: [[s.step, float(s.value)] for s in a.Scalars(t)] for t in tags.get("scalars", [])},
        }
    return out


def kind_events(c):
    """Writes the files of the case, and returns the values that they contain."""
    folder = os.path.join(c.folder, c["folder"])
    shutil.rmtree(folder, ignore_errors=True)
    log(c["calls"], folder)
    return {"runs": runs(folder), "accumulator": accumulated(folder)}


def kind_damaged(c):
    """A file that was cut: the complete records before the cut."""
    return {"runs": runs(os.path.join(c.folder, c["folder"]))}


def kind_error(c):
    from .case import attempt

    def run():
        with tempfile.TemporaryDirectory() as tmp:
            log(c["calls"], tmp)

    return attempt(run)
