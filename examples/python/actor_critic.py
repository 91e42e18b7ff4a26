"""Python version of examples/actor_critic.cpp; prints the same output."""

import argparse
import math

import torch
from torch import nn
import torch.nn.functional as F
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--episodes", type=int, default=1000)
parser.add_argument("--log-every", type=int, default=50)
parser.add_argument("--seed", type=int, default=1)
o = parser.parse_args()


class CartPole:
    def reset(self):
        self.state = (torch.rand(4) * 0.1 - 0.05).tolist()
        self.steps = 0
        return torch.tensor(self.state)

    def step(self, action):
        gravity, pole_mass, mass, half_length, time = 9.8, 0.1, 1.1, 0.5, 0.02
        x, velocity, angle, turn = self.state
        force, sine, cosine = 10 if action == 1 else -10, math.sin(angle), math.cos(angle)
        push = (force + pole_mass * half_length * turn * turn * sine) / mass
        turning = (gravity * sine - cosine * push) / (half_length * (4 / 3 - pole_mass * cosine * cosine / mass))
        acceleration = push - pole_mass * half_length * turning * cosine / mass
        x += time * velocity
        velocity += time * acceleration
        angle += time * turn
        turn += time * turning
        self.state = [x, velocity, angle, turn]
        self.steps += 1
        fallen = abs(x) > 2.4 or abs(angle) > 12 * math.pi / 180
        return torch.tensor(self.state), fallen or self.steps == 500


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 128)
        self.actor = nn.Linear(128, 2)
        self.critic = nn.Linear(128, 1)

    def forward(self, state):
        h = torch.relu(self.hidden(state))
        return self.actor(h), self.critic(h)


def play(policy, environment):
    log_probs, values = [], []
    state, done = environment.reset(), False
    while not done:
        logits, value = policy(state)
        choice = Categorical(logits=logits)
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        values.append(value)
        state, done = environment.step(action.item())
    return log_probs, values


def loss_of(log_probs, values, discount):
    returns, total = [], 0.0
    for _ in values:
        total = 1 + discount * total
        returns.insert(0, total)
    expected = torch.tensor(returns)
    expected = (expected - expected.mean()) / (expected.std() + 1e-6)
    values = torch.cat(values)
    advantages = expected - values.detach()
    actor_loss = -(torch.stack(log_probs) * advantages).sum()
    return actor_loss + F.smooth_l1_loss(values, expected, reduction="sum")


def print_curve(lengths):
    columns = min(60, len(lengths))
    means = []
    for i in range(columns):
        part = lengths[i * len(lengths) // columns:(i + 1) * len(lengths) // columns]
        means.append(sum(part) / len(part))
    for row in reversed(range(10)):
        print(f"{(row + 1) * 50:4d} |" + "".join("#" if mean >= (row + 0.5) * 50 else " " for mean in means))
    print("     +" + "-" * columns, len(lengths), "episodes")


torch.manual_seed(o.seed)
policy, environment = Policy(), CartPole()
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
lengths, running, total = [], 10.0, 0.0
for episode in range(1, o.episodes + 1):
    if running >= 475:
        break
    log_probs, values = play(policy, environment)
    length = len(values)
    opt.zero_grad()
    loss = loss_of(log_probs, values, 0.99)
    loss.backward()
    opt.step()
    lengths.append(length)
    running = 0.95 * running + 0.05 * length
    total += loss.item() / length
    if episode % o.log_every == 0:
        print(f"episode {episode:4d}: {length:3d} steps, running mean {running:.2f},",
              f"loss per step {total / o.log_every:.4f}", flush=True)
        total = 0.0
print(f"running mean of {running:.2f} steps after {len(lengths)} episodes\n")
print_curve(lengths)
