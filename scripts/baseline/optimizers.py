"""Rows about optimizers: the cost of a step of torch.optim."""
import torch

from timing import per_call

FUSED = ("SGD", "Adam", "AdamW", "Adagrad")
FOREACH = (*FUSED, "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop", "Adafactor")


def small_parameters():
    parameters = [torch.randn(16, 16, requires_grad=True) for _ in range(100)]
    for p in parameters:
        p.grad = torch.randn(16, 16)
    return parameters


def large_parameter():
    parameter = torch.zeros(25_000_000, requires_grad=True)
    parameter.grad = torch.full_like(parameter, 1e-3)
    return [parameter]


def options_of(name):
    return {"lr": 1e-6} | ({"momentum": 0.9} if name == "SGD" else {})


def small_step(name):
    """A step in the fastest form: fused, over lists of tensors, or the only one."""
    forms = [{"fused": True}] * (name in FUSED) + [{"foreach": True}] * (name in FOREACH) or [{}]

    def row():
        steps = (getattr(torch.optim, name)(small_parameters(), **options_of(name), **form).step for form in forms)
        return min(per_call(step) for step in steps) * 1e6

    return row


def large_step(name):
    def row():
        return per_call(getattr(torch.optim, name)(large_parameter(), **options_of(name), fused=True).step) * 1e3

    return row


def lbfgs(stored):
    """A step with a constant gradient and `stored` pairs of former changes. The inverse Hessian that they define is
    a product of projections."""

    def row():
        loss = torch.ones(())
        opt = torch.optim.LBFGS(small_parameters(), lr=1e-6, max_iter=1)
        opt.step(lambda: loss)
        state = opt.state[opt.param_groups[0]["params"][0]]
        for _ in range(stored):
            change = torch.randn(state["d"].numel())
            state["old_dirs"].append(change)
            state["old_stps"].append(change.clone())
            state["ro"].append(1 / change.dot(change))
        return per_call(lambda: opt.step(lambda: loss)) * 1e6

    return row


def clip_small():
    parameters = small_parameters()
    return per_call(lambda: torch.nn.utils.clip_grad_norm_(parameters, 1e6)) * 1e6


ROWS = (
    {f"step:{name}": small_step(name) for name in (*FOREACH, "Muon")}
    | {f"large_step:{name}": large_step(name) for name in ("Adam", "SGD")}
    | {"lbfgs": lbfgs(0), "lbfgs_stored": lbfgs(100), "clip_small": clip_small}
)
