"""Family transforms: functions and classes of torchvision.transforms.v2, with the parameters that they draw."""

import enum

import torch
import torchvision
from torchvision.transforms import InterpolationMode, v2
from torchvision.transforms.v2 import functional as F
from torchvision.transforms.v2._auto_augment import _AutoAugmentBase

from .case import attempt, next_draw

torchvision.disable_beta_transforms_warning()


def options(args):
    args = dict(args)
    if "interpolation" in args:
        args["interpolation"] = InterpolationMode(args["interpolation"])
    if "policy" in args:
        args["policy"] = v2.AutoAugmentPolicy(args["policy"])
    return args


def plain(x):
    """Parameters as values of the format."""
    if isinstance(x, enum.Enum):
        return x.value
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, (list, tuple)) else x


def call(name, x, args):
    out = getattr(F, name)(x, **options(args))
    return list(out) if isinstance(out, tuple) else out


def kind_functional(c):
    return {"out": call(c["name"], c["input"], c["args"])}


def make(spec):
    args = options(spec.get("args", {}))
    if "transforms" in spec:
        args["transforms"] = [make(s) for s in spec["transforms"]]
    return getattr(v2, spec["name"])(**args)


def watch(t, log):
    """Logs the parameters that a transform and the transforms inside it draw."""
    for m in t.modules():

        def spy(flat_inputs, m=m, plain_make=m.make_params):
            p = plain_make(flat_inputs)
            if p:
                log.append([type(m).__name__, plain(p)])
            return p

        m.make_params = spy
        if isinstance(m, _AutoAugmentBase):

            def apply(image, op, magnitude, interpolation, fill, m=m, plain_apply=m._apply_image_or_video_transform):
                log.append([type(m).__name__, {"op": op, "magnitude": float(magnitude)}])
                return plain_apply(image, op, magnitude, interpolation, fill)

            m._apply_image_or_video_transform = apply


def kind_transform(c):
    """A transform that is called `times` times on the input, after seeding."""
    t, log, out = make(c["transform"]), [], []
    watch(t, log)
    torch.manual_seed(c["seed"])
    for _ in range(c["times"]):
        y = t(c["input"])
        out.append(list(y) if isinstance(y, tuple) else y)
    return {"out": out, "params": log, "next": next_draw()}


def kind_mix(c):
    t, log = make(c["transform"]), []
    watch(t, log)
    torch.manual_seed(c["seed"])
    images, labels = t(c["input"], c["labels"])
    return {"images": images, "labels": labels, "params": log, "next": next_draw()}


def kind_error(c):
    if "transform" in c:  # rejected by the constructor or by the call
        return attempt(lambda: make(c["transform"])(*c["inputs"]))
    return attempt(lambda: call(c["name"], c["input"], c["args"]))
