"""Exchanges pickled modules between Python and Taper: one of every class, with random options.

    python scripts/golden/whole_modules.py make tests/data/whole_modules.pt
    TAPER_WHOLE_MODULES=/tmp/whole.pt build/release/bin/test_nn --gtest_filter='WholeModules.*'
    python scripts/golden/whole_modules.py check /tmp/whole.pt

`make` pickles the modules with inputs and outputs. The test rebuilds them, compares their outputs and written
attributes, and writes modules of the same classes and options. `check` loads these, compares each attribute with
that of the module that Python creates, and runs them.
"""
import collections
import copy
import io
import random
import re
import sys
import warnings
import weakref
import zipfile

import torch
from torch import nn

warnings.simplefilter("ignore")
LAYERS = re.findall(r"(?m)^LAYER\((\w+)\)", open("src/nn/registry/layers.inc").read())


def tuples(rng, rank, low, high):
    """Returns one number for all dimensions, or one for each."""
    return rng.randint(low, high) if rng.random() < 0.4 else tuple(rng.randint(low, high) for _ in range(rank))


def rank_of(name):
    return int(name[-2]) if name[-1] == "d" and name[-2].isdigit() else 0


def convolution(rng, name):
    rank, groups, transposed = rank_of(name), rng.choice([1, 2]), "Transpose" in name
    kw = {"in_channels": 2 * groups, "out_channels": 2 * groups, "kernel_size": tuples(rng, rank, 1, 3), "groups": groups,
          "bias": rng.random() < 0.5}
    word = rng.random()
    if transposed:
        kw |= {"stride": 3, "padding": tuples(rng, rank, 0, 1), "output_padding": tuples(rng, rank, 0, 2), "dilation": tuples(rng, rank, 1, 2)}
    elif word < 0.3:
        kw |= {"padding": "same", "dilation": tuples(rng, rank, 1, 2)}
    elif word < 0.4:
        kw |= {"padding": "valid", "stride": tuples(rng, rank, 1, 2)}
    else:
        kw |= {"stride": tuples(rng, rank, 1, 2), "padding": tuples(rng, rank, 0, 2)}
    if not transposed:
        kw["padding_mode"] = rng.choice(["zeros", "reflect", "replicate", "circular"])
    if "Lazy" in name:
        del kw["in_channels"]
    if rng.random() < 0.3:
        kw["dtype"] = torch.float64
    return kw, [torch.randn(1, 2 * groups, *[6 - rank] * rank, dtype=kw.get("dtype"))]


def norm(rng, name):
    rank = rank_of(name)
    kw = {"eps": 10 ** -rng.randint(2, 6), "momentum": rng.choice([0.1, 0.25, None]), "affine": rng.random() < 0.6,
          "track_running_stats": rng.random() < 0.6, "bias": rng.random() < 0.5}
    if "Lazy" in name:
        kw["affine"] = True  # without parameters PyTorch's lazy norms do not infer num_features
    else:
        kw["num_features"] = 3
    if kw["momentum"] is None and "Instance" in name:
        kw["momentum"] = 0.3  # PyTorch's forward rejects None here
    return kw, [torch.randn(2, 3, *[2] * rank)]


def recurrent(rng, name):
    kw = {"input_size": 3, "hidden_size": 4, "bias": rng.random() < 0.5}
    if name.endswith("Cell"):
        if name == "RNNCell":
            kw["nonlinearity"] = rng.choice(["tanh", "relu"])
        return kw, [torch.randn(2, 3)]
    kw |= {"num_layers": rng.randint(1, 2), "batch_first": rng.random() < 0.5, "bidirectional": rng.random() < 0.5}
    kw["dropout"] = 0.25 if kw["num_layers"] > 1 else 0.0
    if name == "RNN":
        kw["nonlinearity"] = rng.choice(["tanh", "relu"])
    if name == "LSTM":
        kw["proj_size"] = rng.choice([0, 2])
    return kw, [torch.randn(2, 2, 3)]


def padding(rng, name):
    rank = rank_of(name)
    kw = {"padding": rng.choice([1, tuple(rng.randint(0, 2) for _ in range(2 * rank))])}
    if name.startswith("Constant"):
        kw["value"] = rng.choice([2, 2.5])
    return kw, [torch.randn(1, 2, *[3] * rank)]


def loss(rng, name):
    kw = {"reduction": rng.choice(["mean", "sum", "none"])}
    if name in ("CrossEntropyLoss", "NLLLoss"):
        kw |= {"weight": rng.choice([None, torch.rand(3)]), "ignore_index": rng.choice([-100, 1])}
        if name == "CrossEntropyLoss":
            kw["label_smoothing"] = rng.choice([0.0, 0.1])
        return kw, [torch.randn(4, 3).log_softmax(1), torch.tensor([0, 2, 1, 2])]
    x, y, positive, sign = torch.randn(4, 3), torch.randn(4, 3), torch.rand(4, 3), torch.tensor([1.0, -1.0, 1.0, -1.0])
    margin = {"margin": rng.choice([0.25, 1.0])}
    more, inputs = {
        "SmoothL1Loss": ({"beta": rng.choice([1.0, 0.5])}, [x, y]),
        "HuberLoss": ({"delta": rng.choice([1.0, 0.5])}, [x, y]),
        "LinearCrossEntropyLoss": ({"in_features": 3, "num_classes": 2, "bias": rng.random() < 0.5, "weight": rng.choice([None, torch.rand(2)]),
                                    "out_features": rng.choice([(), (2,)]), "label_smoothing": rng.choice([0.0, 0.1])}, None),
        "BCELoss": ({"weight": rng.choice([None, torch.rand(3)])}, [positive, positive.flip(0)]),
        "BCEWithLogitsLoss": ({"weight": rng.choice([None, torch.rand(3)]), "pos_weight": rng.choice([None, torch.rand(3)])}, [x, positive]),
        "KLDivLoss": ({"log_target": rng.random() < 0.5, "reduction": rng.choice(["batchmean", "sum"])}, [x, positive]),
        "PoissonNLLLoss": ({"log_input": rng.random() < 0.5, "full": rng.random() < 0.5, "eps": 1e-3}, [positive, positive.flip(0)]),
        "GaussianNLLLoss": ({"full": rng.random() < 0.5, "eps": 1e-3}, [x, y, positive]),
        "HingeEmbeddingLoss": (margin, [x[:, 0], sign]), "MarginRankingLoss": (margin, [x[:, 0], y[:, 0], sign]),
        "CosineEmbeddingLoss": (margin, [x, y, sign]),
        "MultiLabelMarginLoss": ({}, [x, torch.tensor([[0, 2, -1], [1, -1, 0], [-1, 0, 1], [2, 1, 0]])]),
        "MultiLabelSoftMarginLoss": ({"weight": rng.choice([None, torch.rand(3)])}, [x, positive]),
        "MultiMarginLoss": (margin | {"p": rng.choice([1, 2]), "weight": rng.choice([None, torch.rand(3)])}, [x, torch.tensor([0, 2, 1, 2])]),
        "CTCLoss": ({"blank": rng.choice([0, 2]), "zero_infinity": rng.random() < 0.5},
                    [torch.randn(6, 2, 4).log_softmax(-1), torch.tensor([[1, 3], [3, 1]]), torch.tensor([6, 5]), torch.tensor([2, 1])]),
        "AdaptiveLogSoftmaxWithLoss": ({"in_features": 3, "n_classes": 7, "cutoffs": rng.choice([[2], [2, 5]]), "div_value": 1.5,
                                        "head_bias": rng.random() < 0.5}, [x, torch.tensor([0, 6, 2, 5])]),
        "TripletMarginLoss": (margin | {"p": rng.choice([1.0, 2.0]), "eps": 1e-3, "swap": rng.random() < 0.5}, [x, y, positive]),
        "TripletMarginWithDistanceLoss": (margin | {"swap": rng.random() < 0.5}, [x, y, positive]),
    }.get(name, ({}, [x, y]))
    if name == "LinearCrossEntropyLoss":
        inputs = [x, torch.randint(0, 2, (4, *more["out_features"]))]
    if name == "AdaptiveLogSoftmaxWithLoss":
        del kw["reduction"]
    return kw | more, inputs


def transformer(rng, name):
    layer = {"d_model": 4, "nhead": 2, "dim_feedforward": 6, "dropout": 0.1, "activation": rng.choice(["relu", "gelu"]),
             "layer_norm_eps": 1e-4, "batch_first": rng.random() < 0.5, "norm_first": rng.random() < 0.5, "bias": rng.random() < 0.7}
    x, memory = torch.randn(3, 2, 4), torch.randn(3, 2, 4)
    if name == "Transformer":
        return layer | {"num_encoder_layers": 1, "num_decoder_layers": 2}, [memory, x]
    return layer, [x] if "Encoder" in name else [x, memory]


def attention(rng):
    kw = {"embed_dim": 4, "num_heads": 2, "dropout": 0.1, "bias": rng.random() < 0.5, "add_bias_kv": rng.random() < 0.5,
          "add_zero_attn": rng.random() < 0.5, "kdim": rng.choice([None, 3]), "vdim": rng.choice([None, 5]), "batch_first": rng.random() < 0.5}
    return kw, [torch.randn(3, 2, 4), torch.randn(3, 2, kw["kdim"] or 4), torch.randn(3, 2, kw["vdim"] or 4)]


def embedding(rng, name):
    kw = {"num_embeddings": 7, "embedding_dim": 3, "padding_idx": rng.choice([None, 2]), "max_norm": rng.choice([None, 1.5]),
          "norm_type": rng.choice([2.0, 1.0]), "scale_grad_by_freq": rng.random() < 0.5}
    if name == "EmbeddingBag":
        kw["mode"] = rng.choice(["sum", "mean"])
    return kw, [torch.randint(0, 7, (2, 3))]


def spatial(rng, name):
    """Returns options and inputs of layers that rearrange or resample spatial dimensions; None for other layers."""
    x, pair = torch.randn(1, 8, 4, 6), tuples(rng, 2, 1, 2)
    blocks = {"kernel_size": rng.choice([2, (2, 3)]), "dilation": 1, "padding": pair, "stride": rng.choice([1, (2, 1)])}
    sizes = rng.choice([{"size": (3, 5)}, {"size": 5}, {"scale_factor": 1.5}, {"scale_factor": (1.5, 2)}])
    if name == "Fold":
        kw = blocks | {"output_size": (4, 6)}
        return kw, [nn.Unfold(**blocks)(x)]
    kw = {
        "PixelShuffle": {"upscale_factor": 2}, "PixelUnshuffle": {"downscale_factor": 2}, "ChannelShuffle": {"groups": rng.choice([2, 4])},
        "Unfold": blocks, "Upsample": sizes | rng.choice([{}, {"mode": "bilinear", "align_corners": True}, {"mode": "area"}]),
        "UpsamplingNearest2d": sizes, "UpsamplingBilinear2d": sizes, "AdaptiveAvgPool1d": {"output_size": 3},
        "AdaptiveAvgPool3d": {"output_size": rng.choice([2, (2, None, 3)])},
    }.get(name)
    return kw and (kw, [x[0] if name == "AdaptiveAvgPool1d" else x])


def pools(rng, name):
    """Returns options and inputs of pooling layers."""
    dims, flag = rank_of(name), rng.random() < 0.5
    x = torch.randn(1, 3, *[6] * dims)
    stride = rng.choice([None, 1, (2,) * dims if dims > 1 else 2])
    if name.startswith("MaxUnpool"):
        pooled = getattr(nn.functional, f"max_pool{dims}d")(x, 2, return_indices=True)
        return {"kernel_size": 2, "stride": rng.choice([None, 2]), "padding": 0}, list(pooled)
    if name.startswith("Fractional"):
        ratio = rng.choice([{"output_size": 2}, {"output_ratio": 0.5}])
        return ratio | {"kernel_size": 2, "return_indices": flag, "_random_samples": torch.rand(1, 3, dims)}, [x]
    kw = {
        "Max": {"kernel_size": tuples(rng, dims, 2, 3), "stride": stride, "padding": 1, "dilation": 1, "return_indices": flag, "ceil_mode": rng.random() < 0.5},
        "Avg": {"kernel_size": tuples(rng, dims, 2, 3), "stride": stride, "padding": 1, "ceil_mode": flag, "count_include_pad": rng.random() < 0.5}
        | ({"divisor_override": rng.choice([None, 3])} if dims > 1 else {}),
        "Ada": {"output_size": rng.choice([2, (3,) * dims if dims > 1 else 3]), "return_indices": flag},
        "LPP": {"norm_type": rng.choice([2, 1.5]), "kernel_size": tuples(rng, dims, 2, 3) if dims > 1 else 3, "stride": stride, "ceil_mode": flag},
    }[name[:3]]
    return kw, [x.abs() if name[:3] == "LPP" else x]


def drawn(rng, name):
    x = torch.randn(1, 3, 4, 6)
    flag = rng.random() < 0.5
    plain = {
        "Identity": {}, "Softsign": {}, "Tanh": {}, "Sigmoid": {}, "LogSigmoid": {}, "Tanhshrink": {}, "Softmax2d": {}, "Hardshrink": {"lambd": 0.25}, "Softshrink": {"lambd": 0.25},
        "Linear": {"in_features": 6, "out_features": 2, "bias": flag}, "LazyLinear": {"out_features": 2, "bias": flag},
        "MaxPool2d": {"kernel_size": tuples(rng, 2, 2, 3), "stride": rng.choice([None, 1, (2, 1)]), "padding": rng.choice([0, (1, 0)]),
                      "dilation": 1, "return_indices": flag, "ceil_mode": rng.random() < 0.5},
        "AvgPool2d": {"kernel_size": tuples(rng, 2, 2, 3), "stride": rng.choice([None, 1, (2, 1)]), "padding": rng.choice([0, (1, 0)]),
                      "ceil_mode": flag, "count_include_pad": rng.random() < 0.5, "divisor_override": rng.choice([None, 3])},
        "AdaptiveAvgPool2d": {"output_size": rng.choice([1, (2, 3), (None, 2)])},
        "Hardtanh": {"min_val": rng.choice([-1, -0.5]), "max_val": 0.75, "inplace": flag},
        "LeakyReLU": {"negative_slope": 0.2, "inplace": flag}, "RReLU": {"lower": 0.1, "upper": 0.25, "inplace": flag},
        "Threshold": {"threshold": 0.1, "value": rng.choice([2, 2.5]), "inplace": flag}, "ELU": {"alpha": 0.5, "inplace": flag},
        "CELU": {"alpha": rng.choice([0.5, 2]), "inplace": flag}, "Softplus": {"beta": rng.choice([0.5, 2]), "threshold": 1.5},
        "GLU": {"dim": rng.choice([2, -1])}, "PReLU": {"num_parameters": rng.choice([1, 3]), "init": 0.1},
        "GELU": {"approximate": rng.choice(["none", "tanh"])}, "LocalResponseNorm": {"size": 2, "alpha": 0.5, "beta": 0.5, "k": 2.0},
        "CrossMapLRN2d": {"size": 3, "alpha": 0.5, "beta": 0.5, "k": rng.choice([1, 2.5])},
        "LayerNorm": {"normalized_shape": rng.choice([6, (4, 6)]), "eps": 1e-3, "elementwise_affine": rng.random() < 0.7, "bias": flag},
        "GroupNorm": {"num_groups": 3, "num_channels": 3, "eps": 1e-3, "affine": flag}, "RMSNorm": {"normalized_shape": (6,), "eps": rng.choice([None, 1e-3]), "elementwise_affine": flag},
        "NonDynamicallyQuantizableLinear": {"in_features": 6, "out_features": 2, "bias": flag},
        "Flatten": {"start_dim": rng.choice([1, 2]), "end_dim": -1}, "Unflatten": {"dim": 3, "unflattened_size": (2, 3)},
    }
    if name in plain:
        return plain[name], [x]
    if found := spatial(rng, name):
        return found
    if name in ("Softmax", "LogSoftmax", "Softmin"):
        return {"dim": rng.choice([1, -1])}, [x]
    if name in ("ReLU", "ReLU6", "SELU", "Hardswish", "SiLU", "Mish", "Hardsigmoid"):
        return {"inplace": flag}, [x]
    if "Dropout" in name:
        return {"p": 0.25, "inplace": flag}, [x if name != "Dropout1d" else x[0]] if name != "Dropout3d" else [x[None]]
    if name == "MultiheadAttention":
        return attention(rng)
    if name in ("TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"):
        return transformer(rng, name)
    if name.startswith("Embedding"):
        return embedding(rng, name)
    if name == "Bilinear":
        return {"in1_features": 6, "in2_features": 6, "out_features": 2, "bias": flag}, [x, x]
    if name == "CosineSimilarity":
        return {"dim": 2, "eps": 1e-3}, [x, x * 2 + 1]
    if name == "PairwiseDistance":
        return {"p": rng.choice([1.0, 2.0]), "eps": 1e-3, "keepdim": flag}, [x, x * 2 + 1]
    for word, draw in (("Pool", pools), ("Unpool", pools), ("Conv", convolution), ("Norm", norm), ("RNN", recurrent), ("LSTM", recurrent), ("GRU", recurrent),
                       ("Pad", padding), ("Loss", loss)):
        if word in name:
            return draw(rng, name)
    return None


def stacks():
    layer = nn.TransformerEncoderLayer(4, 2, 6, 0.1, batch_first=True)
    yield "TransformerEncoder", nn.TransformerEncoder(layer, 2, nn.LayerNorm(4)), [torch.randn(2, 3, 4)]
    yield "TransformerEncoder", nn.TransformerEncoder(layer, 1, enable_nested_tensor=False), [torch.randn(2, 3, 4)]
    yield "TripletMarginWithDistanceLoss", nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(1.0)), [
        torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)]
    yield "TransformerDecoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6), 2), [torch.randn(3, 2, 4), torch.randn(5, 2, 4)]


def containers():
    tied = nn.Linear(4, 4, bias=False)
    twice = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), tied, nn.Linear(4, 4, bias=False))
    twice[3].weight = tied.weight
    twice.append(twice[1])
    twice[0].requires_grad_(False)
    twice[2].note = {"a": [1, 2.5], "b": (None, "text")}
    twice.register_buffer("kept", torch.arange(3))
    twice.register_buffer("scratch", torch.ones(2), persistent=False)
    twice.register_buffer("none", None)
    yield "Sequential", twice, [torch.randn(2, 4)]
    yield "Sequential", nn.Sequential(collections.OrderedDict(conv=nn.Conv2d(1, 2, 3), norm=nn.BatchNorm2d(2).eval(), act=nn.ReLU())), [torch.randn(1, 1, 5, 5)]
    yield "ModuleList", nn.ModuleList([nn.Linear(1, 2), nn.ModuleList(), nn.Tanh()]), None
    yield "ModuleDict", nn.ModuleDict({"b": nn.Tanh(), "a": nn.ModuleDict({"c": nn.Linear(1, 1)})}), None
    yield "ParameterList", nn.ParameterList([torch.ones(2), 3, "text", nn.Parameter(torch.zeros(1), requires_grad=False)]), None
    yield "ParameterDict", nn.ParameterDict({"b": torch.ones(2), "a": 3, "c": torch.zeros(1)}), None


def cases(seed):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    for name in LAYERS:
        for _ in range(2):
            found = drawn(rng, name)
            if found is None:
                break
            kw, inputs = found
            module = made(name, kw, inputs)
            if rng.random() < 0.5 or "Dropout" in name or name == "RReLU" or kw.get("dropout") or "max_norm" in kw:
                module.eval()
            yield name, kw, module, inputs
            if not kw:
                break
    for name, module, inputs in (*containers(), *stacks()):
        yield name, None, module.eval() if "Transformer" in name else module, inputs


def made(name, kw, inputs):
    module = (getattr(nn, name, None) or getattr(nn.modules.linear, name))(**kw)
    if name.startswith("Lazy"):
        module(*inputs)
    return module


def reloaded(module):
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def outputs(module, inputs):
    with torch.no_grad():
        result = copy.deepcopy(module)(*[x.clone() for x in inputs]) if inputs else None
        return tuple(result) if isinstance(result, tuple) else result  # without the class of a named tuple


def make(path, seed=6):
    all_cases = []
    for name, kw, module, inputs in cases(seed):
        all_cases.append({"class": name, "arguments": kw, "module": module, "training": module.training, "inputs": inputs,
                          "output": outputs(module, inputs), "text": str(module)})
    missing = set(LAYERS) - {c["class"] for c in all_cases}
    assert not missing, missing
    file = io.BytesIO()
    torch.save(all_cases, file)
    with zipfile.ZipFile(file) as plain, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as small:
        for entry in plain.infolist():
            small.writestr(zipfile.ZipInfo(entry.filename), plain.read(entry), zipfile.ZIP_DEFLATED, 9)
    print(len(all_cases), "modules of", len(LAYERS), "classes")


def differences(ours, theirs, path):
    """Yields the differences, except for the values of tensor elements."""
    if type(ours) is not type(theirs):
        yield f"{path}: {type(ours).__name__} instead of {type(theirs).__name__}"
    elif isinstance(ours, torch.Tensor):
        for what in ("dtype", "shape", "requires_grad"):
            if getattr(ours, what) != getattr(theirs, what):
                yield f"{path}: {what} {getattr(ours, what)} instead of {getattr(theirs, what)}"
    elif isinstance(ours, dict):
        if list(ours) != list(theirs):
            yield f"{path}: {list(ours)} instead of {list(theirs)}"
        else:
            for key in ours:
                yield from differences(ours[key], theirs[key], f"{path}[{key!r}]")
    elif isinstance(ours, (list, tuple)):
        if len(ours) != len(theirs):
            yield f"{path}: {len(ours)} items instead of {len(theirs)}"
        else:
            for i, (a, b) in enumerate(zip(ours, theirs)):
                yield from differences(a, b, f"{path}[{i}]")
    elif isinstance(ours, weakref.ref):
        yield from differences(ours(), theirs(), path)
    elif isinstance(ours, nn.Module):
        yield from differences(ours.__dict__, theirs.__dict__, path)
    elif ours != theirs:
        yield f"{path}: {ours!r} instead of {theirs!r}"


def close(ours, theirs):
    if isinstance(ours, torch.Tensor):
        return torch.allclose(ours, theirs, rtol=1e-4, atol=1e-5, equal_nan=True)
    return type(ours) is type(theirs) and (ours is None or all(map(close, ours, theirs)))


def check(path):
    wrong, count, seen = [], 0, set()
    for case in torch.load(path, weights_only=False):
        name, kw, module, inputs = case["class"], case["arguments"], case["module"], case["inputs"]
        count += 1
        seen.add(name)
        place = f"{name} {kw if kw is not None else ''}"
        if kw is not None:
            theirs = reloaded(made(name, kw, inputs).train(case["training"]))
            wrong += differences(module, theirs, place)
            if str(module) != str(theirs):
                wrong.append(f"{place}: prints {module}")
        if str(module) != case["text"]:
            wrong.append(f"{place}: prints {module}, and in Taper {case['text']}")
        if not close(outputs(module, inputs), case["output"]):
            wrong.append(f"{place}: gives other numbers")
        for again in (copy.deepcopy(module), module.train(), module.eval(), module.double()):
            again.state_dict()
    wrong += [f"no {name}" for name in sorted(set(LAYERS) - seen)]
    print(*wrong, sep="\n")
    print(f"{count} modules of {len(seen)} classes, {len(wrong)} differences")
    return bool(wrong) or count == 0


if __name__ == "__main__":
    sys.exit({"make": make, "check": check}[sys.argv[1]](sys.argv[2]))
