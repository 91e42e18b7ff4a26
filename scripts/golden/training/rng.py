"""Family rng: programs of calls that consume random numbers, and the state of the generator after them."""
import hashlib

import torch
import torch.nn.functional as F

from training.case import DTYPES


def of_shape(method, *arguments):
    """A method that fills an empty tensor of the shape of the op."""
    return lambda o, d, kw: getattr(torch.empty(o["shape"], dtype=d), method)(*(o[name] for name in arguments), **kw)


def transposed(method):
    """A method that fills a transposed view of a contiguous tensor."""
    return lambda o, d, kw: getattr(torch.empty(o["shape"][::-1], dtype=d).t(), method)(**kw)


def normal_strided(o, d, kw):
    """Every second element of a zeroed vector is filled; the whole vector is the result."""
    result = torch.zeros(2 * o["n"], dtype=d)
    result[::2].normal_(**kw)
    return result


def multinomial(o, d, kw):
    weights = torch.arange(1, o["n"] + 1, dtype=d)
    if o.get("rows", 1) > 1:
        weights = torch.stack([weights.roll(i) for i in range(o["rows"])])
    return torch.multinomial(weights, o["samples"], o["replacement"], **kw)


def random_(o, d, kw):
    result = torch.empty(o["shape"], dtype=d)
    return result.random_(o["low"], o["high"], **kw) if "high" in o else result.random_(**kw)


# Functions of an op, its dtype and the keyword arguments with its generator, if it has one.
DRAWS = {
    "rand": lambda o, d, kw: torch.rand(o["shape"], dtype=d, **kw),
    "randn": lambda o, d, kw: torch.randn(o["shape"], dtype=d, **kw),
    "randint": lambda o, d, kw: torch.randint(o["low"], o["high"], o["shape"], dtype=d, **kw),
    "randperm": lambda o, d, kw: torch.randperm(o["n"], dtype=d, **kw),
    "normal_": of_shape("normal_", "mean", "std"),
    "uniform_": of_shape("uniform_", "low", "high"),
    "normal_t": transposed("normal_"),
    "uniform_t": transposed("uniform_"),
    "normal_strided": normal_strided,
    "normal_tensors": lambda o, d, kw: torch.normal(torch.arange(o["n"], dtype=d), torch.arange(1, o["n"] + 1, dtype=d),
                                                    **kw),
    "bernoulli_": of_shape("bernoulli_", "p"),
    "bernoulli": lambda o, d, kw: torch.bernoulli((torch.arange(o["n"], dtype=torch.float64) / o["n"]).to(d), **kw),
    "dropout": lambda o, d, kw: getattr(F, o["kind"])(torch.ones(o["shape"], dtype=d), o["p"], True),
    "exponential_": of_shape("exponential_", "lambd"),
    "geometric_": of_shape("geometric_", "p"),
    "cauchy_": of_shape("cauchy_", "median", "sigma"),
    "log_normal_": of_shape("log_normal_", "mean", "std"),
    "trunc_normal_": lambda o, d, kw: torch.nn.init.trunc_normal_(torch.empty(o["shape"], dtype=d), o["mean"], o["std"],
                                                                  o["a"], o["b"], **kw),
    "random_": random_,
    "multinomial": multinomial,
    "gumbel_softmax": lambda o, d, kw: F.gumbel_softmax(torch.zeros(o["shape"], dtype=d), o["tau"], o["hard"]),
    "rrelu": lambda o, d, kw: F.rrelu(-torch.ones(o["shape"], dtype=d), o["lower"], o["upper"], True),
    "poisson": lambda o, d, kw: torch.poisson(torch.full(o["shape"], o["rate"], dtype=d), **kw),
}


class Generators:
    """The global generator and those that a program creates, with the states that it saves."""

    def __init__(self):
        self.by_name, self.states = {None: torch.default_generator}, {}

    def call(self, o):
        """Runs an op on a generator. Returns its output or None."""
        generator = self.by_name[o.get("generator")]
        if o["op"] == "manual_seed":
            generator.manual_seed(o["seed"])
        elif o["op"] == "new_generator":
            self.by_name[o["name"]] = torch.Generator()
        elif o["op"] == "fork_state_copy":
            self.by_name[o["name"]] = torch.Generator()
            self.by_name[o["name"]].set_state(torch.get_rng_state())
        elif o["op"] == "set_state":
            generator.set_state(self.states[o["name"]].clone())
        elif o["op"] == "initial_seed":
            return torch.tensor(generator.initial_seed() & (2**63 - 1))
        elif o["op"] == "get_state":
            self.states[o["name"]] = generator.get_state()
            return self.states[o["name"]]
        return None


def kind_program(c):
    generators = Generators()
    for o in c["ops"]:
        if o["op"] in DRAWS:
            kw = {"generator": generators.by_name[o["generator"]]} if o.get("generator") else {}
            result = DRAWS[o["op"]](o, DTYPES[o["dtype"]], kw)
        else:
            result = generators.call(o)
        if "out" in o:
            c.put(o["out"], result)
    c["end_state_sha256"] = hashlib.sha256(torch.get_rng_state().numpy().tobytes()).hexdigest()
