"""Family distributions: densities, statistics, gradients, divergences, samples under a seed, errors."""
import torch
import torch.distributions as D

from training.case import DTYPES, error_row

# Parameters that are not rounded where the printed form of a distribution is recorded.
UNROUNDED = ("Multi", "LowR", "Dirich", "OneHot", "Cat", "Relaxed", "Logistic")


def parameters(c, prefix):
    return {name: value.requires_grad_() for name, value in c.roles(prefix).items()}


def put_gradients(c, prefix, y, leaves):
    gradients = torch.autograd.grad(y, list(leaves.values()), allow_unused=True, retain_graph=True)
    for name, gradient in zip(leaves, gradients):
        if gradient is not None:
            c.put(f"{prefix}.{name}", gradient)


def put_quantities(c, d, params, value):
    """Stores the quantities that a distribution has, and in `missing` the exceptions of the others."""
    dtype = value.dtype if value.is_floating_point() else torch.float64
    probabilities = torch.linspace(0.05, 0.95, max(1, d.batch_shape.numel()), dtype=dtype).reshape(d.batch_shape)
    quantities = {"log_prob": lambda: d.log_prob(value), "entropy": d.entropy, "mean": lambda: d.mean,
                  "mode": lambda: d.mode, "variance": lambda: d.variance, "stddev": lambda: d.stddev,
                  "cdf": lambda: d.cdf(value), "icdf": lambda: d.icdf(probabilities)}
    found, missing = {}, {}
    for name, compute in quantities.items():
        try:
            result = compute()
            if not isinstance(result, torch.Tensor):
                raise NotImplementedError
            found[name] = result
        except Exception as error:
            missing[name] = type(error).__name__
    for name, result in found.items():
        c.put(name, result)
    if "icdf" in found:
        c.put("icdf_at", probabilities)
    if "log_prob" in found:
        y = found["log_prob"]
        weights = torch.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).reshape(y.shape)
        leaves = {**params, "value": value} if value.requires_grad else params
        put_gradients(c, "grad_log_prob", (y * weights).sum(), leaves)
    if "entropy" in found and found["entropy"].requires_grad:
        put_gradients(c, "grad_entropy", found["entropy"].sum(), params)
    c["missing"], c["batch_shape"], c["event_shape"] = missing, list(d.batch_shape), list(d.event_shape)


def kind_distribution(c):
    params, value, cls = parameters(c, "param."), c.tensor("value"), getattr(D, c["name"])
    if "grad_log_prob.value" in c["tensors"]:
        value.requires_grad_()
    d = cls(**c["options"], **params, validate_args=False)
    put_quantities(c, d, params, value)
    c["has_rsample"] = d.has_rsample
    if c["repr"] is not None:
        exact = c["name"].startswith(UNROUNDED)
        printed = {k: v.detach() if exact else torch.round(v.detach() * 8) / 8 for k, v in params.items()}
        c["repr"] = repr(cls(**c["options"], **printed, validate_args=False))


def kind_independent(c):
    params = parameters(c, "param.")
    d = D.Independent(D.Normal(**params), c["reinterpreted"])
    put_quantities(c, d, params, c.tensor("value"))
    c["repr"] = repr(d)


def make_transform(spec):
    arguments = dict(spec.get("args", {}))
    if "exponent" in arguments:
        arguments["exponent"] = torch.tensor(arguments["exponent"], dtype=torch.float64)
    return getattr(D, spec["name"])(**arguments)


def kind_transformed(c):
    parts = [make_transform(spec) for spec in c["transforms"]]
    transform = parts[0] if len(parts) == 1 else D.ComposeTransform(parts)
    d = D.TransformedDistribution(D.Normal(**c.roles("param.")), [transform])
    x, value = c.tensor("forward_at"), c.tensor("value")
    c["repr"] = repr(transform)
    c.put("log_prob", d.log_prob(value))
    c.put("cdf", d.cdf(value))
    c.put("forward", transform(x))
    c.put("log_abs_det_jacobian", transform.log_abs_det_jacobian(x, transform(x)))


def kind_mixture(c):
    d = D.MixtureSameFamily(D.Categorical(logits=c.tensor("logits")), D.Normal(c.tensor("loc"), c.tensor("scale")))
    value = c.tensor("value")
    for name, result in (("log_prob", d.log_prob(value)), ("cdf", d.cdf(value)), ("mean", d.mean),
                         ("variance", d.variance)):
        c.put(name, result)


def kind_kl(c):
    p, q = parameters(c, "p."), parameters(c, "q.")
    kl = D.kl_divergence(getattr(D, c["p"])(**p, validate_args=False), getattr(D, c["q"])(**q, validate_args=False))
    c.put("kl", kl)
    if kl.isfinite().all() and kl.requires_grad:
        put_gradients(c, "grad_kl", kl.sum(), {f"p.{k}": v for k, v in p.items()} | {f"q.{k}": v for k, v in q.items()})


def kind_kl_table(c):
    """Moves each pair to the list that PyTorch determines. Pairs of classes without a case remain in theirs."""
    def example(name):
        found = next(case for case in c.by_id.values() if case["kind"] == "distribution" and case["name"] == name)
        params = {role: c.tensors[f"{found['id']}/param.{role}"] for role in found["params"]}
        return getattr(D, name)(**found["options"], **params, validate_args=False)

    def is_implemented(pair, otherwise):
        try:
            D.kl_divergence(*map(example, pair))
            return True
        except StopIteration:
            return otherwise
        except NotImplementedError:
            return False
        except Exception:  # the shapes of the two examples do not fit
            return otherwise
    pairs = [(pair, True) for pair in c["implemented"]] + [(pair, False) for pair in c["not_implemented"]]
    c["implemented"] = [pair for pair, old in pairs if is_implemented(pair, old)]
    c["not_implemented"] = [pair for pair, old in pairs if not is_implemented(pair, old)]


def kind_sample(c):
    params = {name: torch.tensor(value, dtype=DTYPES[c["dtype"]]) for name, value in c["params"].items()}
    d = getattr(D, c["name"])(**c.fields.get("options", {}), **params)
    for shape in c["shapes"]:
        torch.manual_seed(c["seed"])
        c.put("sample_" + "x".join(map(str, shape)), d.sample(shape))


def t(*values):
    return torch.tensor(values[0] if len(values) == 1 else values)


CALLS = {
    "Normal(0, -1)": lambda: D.Normal(t(0.0), t(-1.0)),
    "Bernoulli(probs=1.5)": lambda: D.Bernoulli(t(1.5)),
    "Bernoulli() with both": lambda: D.Bernoulli(t(0.5), t(0.0)),
    "Uniform(1, 0)": lambda: D.Uniform(t(1.0), t(0.0)),
    "Categorical(probs=[-1, 2])": lambda: D.Categorical(t(-1.0, 2.0)),
    "Categorical(scalar)": lambda: D.Categorical(t(1.0)),
    "Exponential(1).log_prob(-1)": lambda: D.Exponential(t(1.0)).log_prob(t(-1.0)),
    "Categorical(3).log_prob(5)": lambda: D.Categorical(torch.ones(3)).log_prob(t(5)),
    "kl(Normal, Gamma)": lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Gamma(t(1.0), t(1.0))),
    "Independent(Normal[3], 2)": lambda: D.Independent(D.Normal(torch.zeros(3), torch.ones(3)), 2),
    "Poisson.icdf": lambda: D.Poisson(t(1.0)).icdf(t(0.5)),
    "Bernoulli.rsample": lambda: D.Bernoulli(t(0.5)).rsample(),
}


def kind_errors(c):
    c["rows"] = [error_row(row, CALLS[row["call"]]) for row in c["rows"]]
