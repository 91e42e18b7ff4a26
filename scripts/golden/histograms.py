"""Writes tests/data/histograms.json: histograms of PyTorch's SummaryWriter for each rule of numpy.

    python scripts/golden/histograms.py tests/data/histograms.json

Each case has values and, for each rule for the bins, the record of torch.utils.tensorboard: the statistics, the upper
limits of the bins and their counts. Numbers are written with all digits, so that they are read back exactly.
"""
import json
import sys
import warnings

import numpy as np
from torch.utils.tensorboard.summary import make_histogram

RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


def samples():
    rng = np.random.default_rng(5)
    yield "one", np.array([2.5])
    yield "two", np.array([-1.0, 3.0])
    yield "three", np.array([0.0, 0.25, 7.0])
    yield "constant", np.full(9, 1.5)
    yield "two values", np.array([0.0] * 30 + [1.0] * 11)
    yield "normal", rng.normal(size=80)
    yield "skewed", rng.exponential(size=150)
    yield "outliers", np.concatenate([rng.normal(size=90), [40.0, -25.0]])
    yield "two peaks", np.concatenate([rng.normal(-3, 0.2, 70), rng.normal(4, 1, 50)])
    yield "integers", rng.integers(-4, 9, 100).astype(float)


def main():
    warnings.simplefilter("ignore")  # the rule of Stone may use the largest number of bins
    cases = []
    for name, values in samples():
        records = {}
        for rule in RULES:
            h = make_histogram(values, rule)
            records[rule] = {"min": h.min, "max": h.max, "num": h.num, "sum": h.sum, "sum_squares": h.sum_squares,
                             "bucket_limit": list(h.bucket_limit), "bucket": list(h.bucket)}
        cases.append({"name": name, "values": [float(v) for v in values], "records": records})
    with open(sys.argv[1], "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


main()
