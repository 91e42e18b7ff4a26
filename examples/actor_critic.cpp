// Actor-critic on CartPole: a pole on a cart is balanced by pushing the cart to the left or to the
// right (Barto, Sutton and Anderson, 1983). The environment is that of Gymnasium's CartPole-v1.
// examples/python/actor_critic.py prints the same output.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <taper/distributions/distributions.h>
#include <taper/taper.h>

#include <CLI/CLI.hpp>

using namespace taper;

// A step lasts 0.02 s and is rewarded by 1. An episode ends when the pole leans by 12 degrees, the
// cart leaves its track, or after 500 steps.
class CartPole {
 public:
  // Returns a state near the upright position.
  Tensor reset() {
    const Tensor start = rand({4}) * 0.1 - 0.05;
    for (int i = 0; i < 4; ++i) state_[static_cast<std::size_t>(i)] = start[i].item<double>();
    steps_ = 0;
    return observation();
  }

  // Pushes to the left (0) or right (1). Returns the state, and whether the episode has ended.
  std::pair<Tensor, bool> step(std::int64_t action) {
    constexpr double kGravity = 9.8, kPoleMass = 0.1, kMass = 1.1, kHalfLength = 0.5, kTime = 0.02;
    auto& [x, velocity, angle, turn] = state_;
    const double force = action == 1 ? 10 : -10, sine = std::sin(angle), cosine = std::cos(angle);
    const double push = (force + kPoleMass * kHalfLength * turn * turn * sine) / kMass;
    const double turning = (kGravity * sine - cosine * push) /
                           (kHalfLength * (4.0 / 3.0 - kPoleMass * cosine * cosine / kMass));
    const double acceleration = push - kPoleMass * kHalfLength * turning * cosine / kMass;
    x += kTime * velocity;
    velocity += kTime * acceleration;
    angle += kTime * turn;
    turn += kTime * turning;
    const bool fallen = std::abs(x) > 2.4 || std::abs(angle) > 12 * std::numbers::pi / 180;
    return {observation(), fallen || ++steps_ == 500};
  }

 private:
  Tensor observation() const {
    return tensor({state_[0], state_[1], state_[2], state_[3]}, {.dtype = float32});
  }
  std::array<double, 4> state_{};
  int steps_ = 0;
};

struct Policy : nn::Module {
  nn::Linear hidden{4, 128}, actor{128, 2}, critic{128, 1};
  TAPER_MODULE(Policy, hidden, actor, critic)

  // Returns the logits of the actions, and the expected return (1).
  std::pair<Tensor, Tensor> forward(const Tensor& state) const {
    const Tensor h = relu(hidden(state));
    return {actor(h), critic(h)};
  }
};

// Log-probabilities of the actions of an episode, and the returns that the critic expected.
struct Episode {
  std::vector<Tensor> log_probs, values;
  std::int64_t size() const { return std::ssize(values); }
};

Episode play(Policy& policy, CartPole& environment) {
  Episode episode;
  Tensor state = environment.reset();
  for (bool done = false; !done;) {
    const auto [logits, value] = policy(state);
    const distributions::Categorical choice({.logits = logits});
    const Tensor action = choice.sample();
    episode.log_probs.push_back(choice.log_prob(action));
    episode.values.push_back(value);
    std::tie(state, done) = environment.step(action.item<std::int64_t>());
  }
  return episode;
}

Tensor loss_of(const Episode& episode, double discount) {
  std::vector<float> returns(episode.values.size());
  double sum = 0;
  for (std::size_t i = returns.size(); i-- > 0;)
    returns[i] = static_cast<float>(sum = 1 + discount * sum);
  Tensor expected = tensor(returns);
  expected = (expected - expected.mean()) / (expected.std() + 1e-6);
  const Tensor values = cat(episode.values), advantages = expected - values.detach();
  const Tensor actor_loss = -(stack(episode.log_probs) * advantages).sum();
  return actor_loss + F::smooth_l1_loss(values, expected, {.reduction = "sum"});
}

// Prints the lengths of the episodes, as means of as many as a column stands for.
void print_curve(const std::vector<double>& lengths) {
  constexpr std::size_t kColumns = 60, kRows = 10;
  const std::size_t columns = std::min(kColumns, lengths.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t begin = i * lengths.size() / columns,
                      end = (i + 1) * lengths.size() / columns;
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += lengths[k];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  for (std::size_t row = kRows; row-- > 0;) {
    std::string line;
    for (const double mean : means)
      line += mean >= (static_cast<double>(row) + 0.5) * 50 ? '#' : ' ';
    std::printf("%4d |%s\n", static_cast<int>(row + 1) * 50, line.c_str());
  }
  std::printf("     +%s %d episodes\n", std::string(columns, '-').c_str(),
              static_cast<int>(lengths.size()));
}

int main(int argc, char** argv) {
  int episodes = 1000, log_every = 50;
  std::uint64_t seed = 1;
  CLI::App app{"Trains an actor and a critic to balance a pole."};
  app.add_option("--episodes", episodes, "maximum")->capture_default_str();
  app.add_option("--log-every", log_every, "episodes per line")->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  manual_seed(seed);
  Policy policy;
  CartPole environment;
  optim::Adam opt(policy.parameters(), {.lr = 1e-2});
  std::vector<double> lengths;
  double running = 10, total = 0;
  for (int episode = 1; episode <= episodes && running < 475; ++episode) {
    const Episode played = play(policy, environment);
    const auto length = static_cast<double>(played.size());
    opt.zero_grad();
    const Tensor loss = loss_of(played, 0.99);
    loss.backward();
    opt.step();
    lengths.push_back(length);
    running = 0.95 * running + 0.05 * length;
    total += loss.item<double>() / length;
    if (episode % log_every == 0) {
      std::printf("episode %4d: %3d steps, running mean %.2f, loss per step %.4f\n", episode,
                  static_cast<int>(length), running, total / log_every);
      std::fflush(stdout);
      total = 0;
    }
  }
  std::printf("running mean of %.2f steps after %d episodes\n\n", running,
              static_cast<int>(lengths.size()));
  print_curve(lengths);
}
