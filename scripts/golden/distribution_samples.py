"""Writes tests/data/training/distribution_samples.{json,safetensors}: samples of distributions under a seed.

    python scripts/golden/distribution_samples.py tests/data/training/distribution_samples

The cases have kind `sample` of the family distributions; `options` holds plain numbers. They cover the classes whose
draws are composed of several random functions, with batches of parameters. Needs PyTorch 2.15.
"""
import json
import struct
import sys
import warnings

import torch
import torch.distributions as D

warnings.simplefilter("ignore")
EYE = [[2.0, 0.5], [0.5, 1.0]]
CASES = [
    ("Binomial", {"probs": [0.1, 0.5, 0.9]}, {"total_count": 8}),
    ("Binomial", {"probs": [0.2, 0.5, 0.97]}, {"total_count": 70}),
    ("Binomial", {"logits": [-1.0, 3.0]}, {"total_count": 400}),
    ("NegativeBinomial", {"probs": [0.3, 0.6]}, {"total_count": 5}),
    ("Multinomial", {"probs": [[0.2, 0.3, 0.5], [0.7, 0.2, 0.1]]}, {"total_count": 6}),
    ("Poisson", {"rate": [0.5, 4.0, 30.0]}, {}),
    ("Bernoulli", {"logits": [-1.0, 0.0, 2.0]}, {}),
    ("Geometric", {"probs": [0.2, 0.9]}, {}),
    ("Categorical", {"probs": [[0.2, 0.3, 0.5], [0.7, 0.2, 0.1]]}, {}),
    ("OneHotCategorical", {"probs": [0.2, 0.3, 0.5]}, {}),
    ("RelaxedBernoulli", {"temperature": 0.7, "logits": [-1.0, 0.0, 2.0]}, {}),
    ("RelaxedOneHotCategorical", {"temperature": 0.7, "logits": [-1.0, 0.0, 2.0]}, {}),
    ("Dirichlet", {"concentration": [[0.5, 1.0, 2.0], [5.0, 0.2, 0.2]]}, {}),
    ("Beta", {"concentration1": [0.5, 3.0], "concentration0": [2.0, 0.3]}, {}),
    ("Gamma", {"concentration": [0.3, 1.0, 20.0], "rate": [1.0, 2.0, 0.5]}, {}),
    ("InverseGamma", {"concentration": [1.5, 4.0], "rate": [1.0, 2.0]}, {}),
    ("Chi2", {"df": [1.0, 6.0]}, {}),
    ("FisherSnedecor", {"df1": [3.0, 8.0], "df2": [6.0, 10.0]}, {}),
    ("StudentT", {"df": [3.0, 8.0], "loc": [1.0, -1.0], "scale": [0.5, 2.0]}, {}),
    ("Kumaraswamy", {"concentration1": [0.5, 3.0], "concentration0": [2.0, 0.7]}, {}),
    ("ContinuousBernoulli", {"probs": [0.1, 0.5, 0.8]}, {}),
    ("GeneralizedPareto", {"loc": [0.0, 1.0], "scale": [1.0, 2.0], "concentration": [0.2, 0.0]}, {}),
    ("HalfCauchy", {"scale": [1.0, 2.0]}, {}),
    ("LogisticNormal", {"loc": [0.0, 1.0], "scale": [1.0, 0.5]}, {}),
    ("VonMises", {"loc": [0.5, -2.0], "concentration": [0.7, 9.0]}, {}),
    ("MultivariateNormal", {"loc": [0.5, -1.0], "precision_matrix": EYE}, {}),
    ("LowRankMultivariateNormal", {"loc": [0.5, -1.0], "cov_factor": [[1.0], [0.5]], "cov_diag": [0.3, 2.0]}, {}),
    ("Wishart", {"df": 4.0, "covariance_matrix": EYE}, {}),
]


DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64"}


def save_safetensors(tensors, path):
    head, data, at = {}, [], 0
    for name, t in tensors.items():
        data.append(t.reshape(-1).view(torch.uint8).numpy().tobytes())
        head[name] = {"dtype": DTYPES[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + len(data[-1])]}
        at += len(data[-1])
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def main(out):
    cases, tensors = [], {}
    for n, (name, params, options) in enumerate(CASES):
        for dtype, short in ((torch.float32, "f32"), (torch.float64, "f64")):
            case = f"{n:02d}_{name}_{short}"
            given = {k: torch.tensor(v, dtype=dtype) for k, v in params.items()}
            d = getattr(D, name)(**options, **given)
            for shape in ([], [5], [3, 4]):
                torch.manual_seed(n)
                tensors[f"{case}/sample_" + "x".join(map(str, shape))] = d.sample(shape).contiguous()
            cases.append({"id": case, "kind": "sample", "name": name, "params": params, "options": options, "dtype": short,
                          "seed": n, "shapes": [[], [5], [3, 4]],
                          "tolerance": {"rtol": 2e-5, "atol": 2e-6} if short == "f32" else {"rtol": 1e-11, "atol": 1e-12},
                          "tensors": ["sample_", "sample_5", "sample_3x4"]})
    with open(out + ".json", "w") as f:
        head = {"format": 1, "family": "distributions", "torch": torch.__version__.split("+")[0], "seed": 0, "extra": False}
        f.write(json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n")
    save_safetensors(tensors, out + ".safetensors")


main(sys.argv[1])
