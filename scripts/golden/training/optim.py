"""Family optim: parameters after each step on given gradients, state dicts, continued runs, LBFGS, errors."""
import torch
from torch import nn

from training.case import DTYPES, error_row, options

O = torch.optim


def problem(c):
    """Parameters and gradients of the case of kind `problem` that a case names."""
    of = c["problem"]
    count = range(len(c.by_id[of]["shapes"]))
    return ([nn.Parameter(c.tensors[f"{of}/param{i}"].clone()) for i in count],
            [c.tensors[f"{of}/grad{i}"] for i in count])


def values_of(params):
    return [p.detach().clone() for p in params]


def take_steps(optimizer, params, grads, skip, steps):
    """Yields the values of the parameters after each step."""
    for t in steps:
        for i, p in enumerate(params):
            p.grad = None if t in skip.get(str(i), []) else grads[i][t].clone()
        optimizer.step()
        yield values_of(params)


def make_optimizer(name, params, arguments):
    return getattr(O, name)(params, **options(arguments))


def put_history(c, rows):
    for i in range(len(rows[0])):
        c.put(f"param{i}", torch.stack([row[i] for row in rows]))


def kind_problem(c):
    c.roles("")


def kind_trajectory(c):
    params, grads = problem(c)
    groups = params
    if c["groups"] is not None:
        groups = [dict(options({k: v for k, v in g.items() if k != "params"}), params=[params[i] for i in g["params"]])
                  for g in c["groups"]]
    optimizer = make_optimizer(c["optimizer"], groups, c["args"])
    put_history(c, [values_of(params), *take_steps(optimizer, params, grads, c["skip"], range(c["steps"]))])
    c["repr"] = repr(optimizer)
    index = {p: i for i, p in enumerate(params)}
    c["group_params"] = [[index[p] for p in group["params"]] for group in optimizer.param_groups]
    c.described("state_dict", optimizer.state_dict())


def kind_resume(c):
    params, grads = problem(c)
    first = make_optimizer(c["optimizer"], params, c["args"])
    rows = [values_of(params), *take_steps(first, params, grads, {}, range(c["at"]))]
    copies = [nn.Parameter(value) for value in values_of(params)]
    second = make_optimizer(c["optimizer"], copies, c["fresh_args"])
    second.load_state_dict(first.state_dict())
    c["lr_after_load"] = [group["lr"] for group in second.param_groups]
    put_history(c, rows + list(take_steps(second, copies, grads, {}, range(c["at"], c["steps"]))))


def kind_load_state_casts(c):
    params, grads = problem(c)
    first = make_optimizer(c["optimizer"], params, c["args"])
    list(take_steps(first, params, grads, {}, range(c["steps"])))
    cast = [nn.Parameter(p.detach().to(DTYPES[c["into_dtype"]])) for p in params]
    second = make_optimizer(c["optimizer"], cast, {})
    second.load_state_dict(first.state_dict())
    c.described("state_dict", second.state_dict())


def kind_add_param_group(c):
    params, grads = problem(c)
    optimizer = make_optimizer(c["optimizer"], [params[i] for i in c["first"]], c["args"])
    rows = [values_of(params), *take_steps(optimizer, params, grads, {}, range(c["at"]))]
    optimizer.add_param_group(dict(c["added"], params=[params[i] for i in c["added"]["params"]]))
    put_history(c, rows + list(take_steps(optimizer, params, grads, {}, range(c["at"], c["steps"]))))
    c.described("state_dict", optimizer.state_dict())


def kind_zero_grad(c):
    p, values = nn.Parameter(torch.tensor(c["start"])), []
    p.grad = torch.tensor(c["grad"])
    optimizer = O.SGD([p], **c["args"])
    for step in c["sequence"]:
        if step == "step":
            optimizer.step()
            values.append(p.tolist())
        else:
            optimizer.zero_grad(set_to_none="False" not in step)
            values.append(None if p.grad is None else p.grad.tolist())
    c["values"] = values


def kind_named_parameters(c):
    assert c["model"] == "Linear(2, 1)"
    c.described("state_dict", make_optimizer(c["optimizer"], nn.Linear(2, 1).named_parameters(), {}).state_dict())


def kind_lbfgs(c):
    a, b = c.roles("A").get(""), c.roles("b").get("")
    f = {"quadratic": lambda x: 0.5 * x @ (a @ x) - b @ x,
         "logsumexp": lambda x: torch.logsumexp(a @ x, 0) + 0.05 * x @ x,
         "rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()}[c["function"]]
    x = nn.Parameter(c.tensor("x")[0])
    optimizer, evaluations, rows, history = make_optimizer("LBFGS", [x], c["args"]), 0, [], values_of([x])

    def closure():
        nonlocal evaluations
        evaluations += 1
        optimizer.zero_grad()
        loss = f(x)
        loss.backward()
        return loss
    for _ in range(c["steps"]):
        before = evaluations
        loss = float(optimizer.step(closure).detach())
        rows.append({"loss_returned": loss, "evaluations": evaluations - before,
                     "func_evals": optimizer.state[x]["func_evals"], "n_iter": optimizer.state[x]["n_iter"]})
        history += values_of([x])
    c.put("x", torch.stack(history))
    c["rows"], c["final_loss"] = rows, float(f(x).detach())
    c.described("state_dict", optimizer.state_dict())


def calls(p, q):
    """The calls of the table of errors that Python cannot evaluate as written."""
    one, two = O.SGD([p], lr=0.1), O.SGD([p, q], lr=0.1)
    groups = [{"params": [p]}, {"params": [q]}]
    return {
        "SGD([{params:[p]},{params:[p]}])": lambda: O.SGD([{"params": [p]}, {"params": [p]}], lr=0.1),
        "SGD([])": lambda: O.SGD([], lr=0.1), "SGD(p)": lambda: O.SGD(p, lr=0.1),
        "SGD([p, p])": lambda: O.SGD([p, p], lr=0.1),
        "SGD([non-leaf])": lambda: O.SGD([p * 2], lr=0.1), "SGD([3.0])": lambda: O.SGD([3.0], lr=0.1),
        "SGD({p})": lambda: O.SGD({p}, lr=0.1), "LBFGS with two groups": lambda: O.LBFGS(groups),
        "LBFGS.step() without closure": lambda: O.LBFGS([p]).step(), "Muon of a vector": lambda: O.Muon([p]),
        "load_state_dict: group of another size": lambda: two.load_state_dict(one.state_dict()),
        "load_state_dict: another number of groups":
            lambda: O.SGD([{"params": [p]}, {"params": [q]}], lr=0.1).load_state_dict(one.state_dict()),
        "Adam(foreach=True, fused=True)": lambda: O.Adam([p], foreach=True, fused=True),
    }


def kind_errors(c):
    special = calls(nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2)))
    rows = []
    for row in c["rows"]:
        text = row["call"].split("  #")[0]
        call = special.get(text) or (lambda: eval(text, vars(O), {"p": nn.Parameter(torch.ones(2, 2))}))
        rows.append(error_row(row, call))
        if "text" in rows[-1]:
            rows[-1]["text"] = rows[-1]["text"].replace("\n", "\\n")
    c["rows"] = rows
