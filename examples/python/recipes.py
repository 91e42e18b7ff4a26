"""The recipes of docs/recipes.md in Python; examples/recipes.cpp prints the same output."""

import re

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn


def feature_extraction():
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    features = {}

    def keep(module, args, result):
        features["hidden"] = result.detach()

    handle = net[1].register_forward_hook(keep)
    net(torch.ones(2, 4))
    handle.remove()
    print(features["hidden"].shape)


def freezing():
    backbone, head = nn.Linear(4, 8), nn.Linear(8, 2)
    net = nn.Sequential(backbone, nn.ReLU(), head)
    backbone.requires_grad_(False)
    opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
    net(torch.ones(1, 4)).sum().backward()
    opt.step()
    print(backbone.weight.grad, head.weight.grad.shape)


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(5, 5, bias=False)
        self.last = nn.Linear(5, 5, bias=False)
        self.last.weight = self.first.weight

    def forward(self, x):
        return self.last(torch.tanh(self.first(x)))


def weight_tying():
    net = LanguageModel()
    print(len(list(net.parameters())), "parameter under", list(net.state_dict()))
    net(torch.ones(1, 5)).sum().backward()
    print(net.last.weight is net.first.weight, net.first.weight.grad is net.last.weight.grad)


class Scale(nn.Module):
    def __init__(self, features, start=1.0):
        super().__init__()
        self.features = features
        self.factor = nn.Parameter(torch.full((features,), start))

    def forward(self, x):
        return x * self.factor

    def extra_repr(self):
        return str(self.features)


def custom_layer():
    net = nn.Sequential(nn.Linear(2, 3), Scale(3, start=0.5))
    print(net)
    print(net(torch.zeros(1, 2)).shape)


class RunningMean(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("steps", torch.tensor(0), persistent=False)

    def forward(self, x):
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
            self.steps += 1
        return x - self.mean


def custom_buffer():
    m = RunningMean(2)
    m(torch.ones(4, 2))
    print(m.state_dict(), m.steps)


def partial_loading():
    trained = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
    checkpoint = {"module." + key: value for key, value in trained.state_dict().items()}
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))  # another head
    state = {key.removeprefix("module."): value for key, value in checkpoint.items()}
    state = {key: value for key, value in state.items() if value.shape == net.state_dict()[key].shape}
    missing = net.load_state_dict(state, strict=False).missing_keys
    print("left:", missing, torch.equal(net[0].weight, trained[0].weight))


def pruning():
    layer = nn.Linear(4, 3)
    prune.l1_unstructured(layer, "weight", amount=0.5)
    print(list(layer.state_dict()), int(layer.weight_mask.sum()))
    prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)  # in addition
    prune.remove(layer, "weight")  # permanent
    print(list(layer.state_dict()), int((layer.weight == 0).sum()))


def weight_norm():
    layer = parametrizations.weight_norm(nn.Linear(4, 3))
    print(list(layer.state_dict()))
    with torch.no_grad():
        layer.parametrizations.weight.original0.fill_(2.0)
    print(layer.weight.norm(dim=1).detach())
    parametrize.remove_parametrizations(layer, "weight")
    print(list(layer.state_dict()))


def moving_average():
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    batches = [torch.randn(3, 4), torch.randn(3, 4)]
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    for x in batches:
        opt.zero_grad()
        net(x).square().sum().backward()
        opt.step()
        ema.update_parameters(net)
    update_bn(batches, ema)  # statistics of the averaged weights
    print(list(ema.state_dict())[:2], f"{ema.eval()(batches[0]).norm():.4f}")


def gradient_logging():
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    norms = []

    def log(module, grad_input, grad_output):
        norms.append(f"{grad_output[0].norm():.4f}")

    for layer in net:
        layer.register_full_backward_hook(log)
    net(torch.ones(3, 4)).sum().backward()
    print(norms, f"{nn.utils.clip_grad_norm_(net.parameters(), 1.0):.4f}")


def gradient_accumulation():
    net = nn.Linear(4, 2)
    opt = torch.optim.AdamW(net.parameters(), lr=0.1)
    inputs, targets = torch.randn(8, 4), torch.randn(8, 2)
    for i, (x, target) in enumerate(zip(inputs.split(2), targets.split(2))):
        loss = nn.functional.mse_loss(net(x), target) / 4  # the gradient of the mean over four batches
        loss.backward()
        if (i + 1) % 4 == 0:
            opt.step()
            opt.zero_grad()
    print(f"{net.weight.norm():.4f}")


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.relu(self.backbone(x)))


def layer_rates():
    net = Classifier()
    rules = [  # the first match applies
        (r"bias$|^backbone\.1\.", {"lr": 1e-3, "weight_decay": 0.0}),
        (r"^backbone\.", {"lr": 1e-4}),
        (r"", {"lr": 1e-3}),
    ]
    groups = [{"params": [], **options} for _, options in rules]
    for name, p in net.named_parameters():
        i = next(i for i, (pattern, _) in enumerate(rules) if re.search(pattern, name))
        groups[i]["params"].append((name, p))
    opt = torch.optim.AdamW(groups)
    for group in opt.param_groups:
        print(group["lr"], group["weight_decay"], group["param_names"])


torch.manual_seed(0)
feature_extraction()
freezing()
weight_tying()
custom_layer()
custom_buffer()
partial_loading()
pruning()
weight_norm()
moving_average()
gradient_logging()
gradient_accumulation()
layer_rates()
