"""Writes tests/data/rsample_gradients.json: gradients of rsample of every class that has it.

    python scripts/golden/rsample_gradients.py tests/data/rsample_gradients.json

A case has the parameters by name, in double precision, the seed, the samples of `rsample(sample_shape)`, and the
gradients of the sum of the samples times 1, 2, 3, ... PyTorch's implicit gradients of gamma and Dirichlet samples are
approximations with errors up to 1e-3, which are replaced by exact ones. Needs PyTorch 2.15 and mpmath.
"""
import json
import sys
import warnings

import mpmath
import torch
import torch.distributions as D

warnings.simplefilter("ignore")
EYE = [[2.0, 0.5], [0.5, 1.0]]
PAIR = {"loc": [0.5, -1.0], "scale": [0.5, 2.0]}
TEMPERED = {"temperature": 0.7, "logits": [-1.0, 0.0, 2.0]}


mpmath.mp.dps = 40


def gamma_gradient(a, x):
    cdf = mpmath.diff(lambda t: mpmath.gammainc(t, 0, x, regularized=True), a)
    return float(-cdf / (mpmath.mpf(x) ** (a - 1) * mpmath.exp(-x) / mpmath.gamma(a)))


def beta_gradient(x, a, total):
    b = total - a
    cdf = mpmath.diff(lambda t: mpmath.betainc(t, b, 0, x, regularized=True), a)
    density = mpmath.mpf(x) ** (a - 1) * (1 - mpmath.mpf(x)) ** (b - 1) / mpmath.beta(a, b)
    return float(-cdf / density / (1 - mpmath.mpf(x)))


def elementwise(f, *tensors):
    tensors = torch.broadcast_tensors(*tensors)
    values = [f(*numbers) for numbers in zip(*(t.flatten().tolist() for t in tensors))]
    return torch.tensor(values, dtype=torch.float64).reshape(tensors[0].shape)


class StandardGamma(torch.autograd.Function):
    @staticmethod
    def forward(ctx, concentration):
        x = torch._standard_gamma(concentration)
        ctx.save_for_backward(concentration, x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * elementwise(gamma_gradient, *ctx.saved_tensors)


D.gamma._standard_gamma = lambda concentration, generator=None: StandardGamma.apply(concentration)
torch._dirichlet_grad = lambda x, concentration, total: elementwise(beta_gradient, x, concentration, total)


def make(name):
    return lambda p: getattr(D, name)(**p)


CASES = [
    ("Beta", {"concentration1": [0.5, 3.0], "concentration0": [2.0, 0.3]}, make("Beta")),
    ("Cauchy", PAIR, make("Cauchy")),
    ("Chi2", {"df": [1.0, 6.0]}, make("Chi2")),
    ("ContinuousBernoulli", {"probs": [0.1, 0.5, 0.8]}, make("ContinuousBernoulli")),
    ("Dirichlet", {"concentration": [[0.5, 1.0, 2.0], [5.0, 0.2, 0.2]]}, make("Dirichlet")),
    ("Exponential", {"rate": [0.5, 2.0]}, make("Exponential")),
    ("FisherSnedecor", {"df1": [3.0, 8.0], "df2": [6.0, 10.0]}, make("FisherSnedecor")),
    ("Gamma", {"concentration": [0.3, 1.0, 20.0], "rate": [1.0, 2.0, 0.5]}, make("Gamma")),
    ("GeneralizedPareto", {"loc": [0.0, 1.0], "scale": [1.0, 2.0], "concentration": [0.2, 0.5]}, make("GeneralizedPareto")),
    ("Gumbel", PAIR, make("Gumbel")),
    ("HalfCauchy", {"scale": [1.0, 2.0]}, make("HalfCauchy")),
    ("HalfNormal", {"scale": [1.0, 2.0]}, make("HalfNormal")),
    ("Independent", PAIR, lambda p: D.Independent(D.Normal(**p), 1)),
    ("InverseGamma", {"concentration": [1.5, 4.0], "rate": [1.0, 2.0]}, make("InverseGamma")),
    ("Kumaraswamy", {"concentration1": [0.5, 3.0], "concentration0": [2.0, 0.7]}, make("Kumaraswamy")),
    ("Laplace", PAIR, make("Laplace")),
    ("LogNormal", PAIR, make("LogNormal")),
    ("LogisticNormal", PAIR, make("LogisticNormal")),
    ("LowRankMultivariateNormal", {"loc": [0.5, -1.0], "cov_factor": [[1.0], [0.5]], "cov_diag": [0.3, 2.0]},
     make("LowRankMultivariateNormal")),
    ("MultivariateNormal", {"loc": [0.5, -1.0], "covariance_matrix": EYE}, make("MultivariateNormal")),
    ("MultivariateNormal, precision", {"loc": [0.5, -1.0], "precision_matrix": EYE}, make("MultivariateNormal")),
    ("Normal", PAIR, make("Normal")),
    ("OneHotCategoricalStraightThrough", {"probs": [0.2, 0.3, 0.5]}, make("OneHotCategoricalStraightThrough")),
    ("Pareto", {"scale": [1.0, 2.0], "alpha": [3.0, 0.7]}, make("Pareto")),
    ("RelaxedBernoulli", TEMPERED, make("RelaxedBernoulli")),
    ("RelaxedOneHotCategorical", TEMPERED, make("RelaxedOneHotCategorical")),
    ("StudentT", {"df": [3.0, 8.0], **PAIR}, make("StudentT")),
    ("TransformedDistribution", PAIR, lambda p: D.TransformedDistribution(D.Normal(**p), [D.SigmoidTransform()])),
    ("Uniform", {"low": [0.5, -1.0], "high": [1.0, 2.0]}, make("Uniform")),
    ("Weibull", {"scale": [1.0, 2.0], "concentration": [0.8, 3.0]}, make("Weibull")),
    ("Wishart", {"df": 4.0, "covariance_matrix": EYE}, make("Wishart")),
]


def main(path):
    cases = []
    for seed, (name, numbers, construct) in enumerate(CASES):
        parameters = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True) for k, v in numbers.items()}
        torch.manual_seed(seed)
        # The backward pass of several Wishart samples fails in PyTorch: rsample modifies an index in place.
        sample_shape = [] if name == "Wishart" else [3]
        x = construct(parameters).rsample(sample_shape)
        (x * torch.arange(1, x.numel() + 1).reshape(x.shape)).sum().backward()
        cases.append({"name": name, "seed": seed, "parameters": numbers, "sample_shape": sample_shape,
                      "samples": x.flatten().tolist(),
                      "gradients": {k: p.grad.flatten().tolist() for k, p in parameters.items()}})
    with open(path, "w") as f:
        f.write("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")


main(sys.argv[1])
