"""Python version of examples/distributions.cpp; prints the same output."""

import torch
from torch.distributions import (Categorical, Gamma, Independent, MixtureSameFamily, Normal, biject_to, constraints,
                                 kl_divergence)


def basics():
    m = Normal(torch.tensor([0.0]), torch.tensor([1.0]))
    print(m.sample())  # normally distributed with loc=0 and scale=1
    print(m.log_prob(torch.tensor([0.5])), m.entropy(), m.cdf(torch.tensor([0.5])))
    d = Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1)
    print(d.batch_shape, d.event_shape, d.sample((5,)).shape)
    print(d)


def score_function():
    logits = torch.zeros(3, requires_grad=True)
    m = Categorical(logits=logits)
    action = m.sample()
    reward = 2.0
    loss = -m.log_prob(action) * reward
    loss.backward()
    print(action, logits.grad)


def pathwise():
    concentration = torch.tensor([0.5, 2.0], requires_grad=True)
    m = Gamma(concentration, torch.ones(2))
    m.rsample((1000,)).mean(0).sum().backward()  # the gradient of the mean is 1
    print(((concentration.grad - 1).abs() < 0.2).all())


def mixture():
    mix = Categorical(torch.tensor([0.3, 0.7]))
    gmm = MixtureSameFamily(mix, Normal(torch.tensor([-1.0, 2.0]), torch.tensor([0.5, 1.0])))
    print(gmm.log_prob(torch.tensor([0.0, 2.0])), gmm.mean)


def variational():
    loc = torch.zeros(2, requires_grad=True)
    raw = torch.zeros(2, requires_grad=True)
    prior = Normal(torch.ones(2), torch.full((2,), 0.5))
    opt = torch.optim.SGD([loc, raw], lr=0.1)
    for _ in range(200):
        q = Normal(loc, biject_to(constraints.positive)(raw))
        opt.zero_grad()
        kl_divergence(q, prior).sum().backward()
        opt.step()
    print(loc, raw.exp())


torch.manual_seed(0)
basics()
score_function()
pathwise()
mixture()
variational()
