// Training and inference steps of whole networks.
#include "../benchmark.h"
#include "../training_steps.h"
#include "lenet/lenet.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

Tensor random_labels(std::int64_t n) { return randint(0, 10, {n}); }

double mlp_step() {
  nn::Sequential net{nn::Linear(32, 64), nn::ReLU(), nn::Linear(64, 64), nn::ReLU(),
                     nn::Linear(64, 10)};
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({16, 32}), y = random_labels(16);
  return seconds_per_call([&] {
           sgd.zero_grad();
           F::cross_entropy(net(x), y).backward();
           sgd.step();
         }) *
         1e6;
}

double lenet_inference() {
  lenet::LeNet net;
  net.eval();
  const Tensor x = randn({64, 1, 28, 28});
  InferenceMode guard;
  return seconds_per_call([&] { static_cast<void>(net(x)); }) * 1e3;
}

double conv_bn_relu() {
  nn::Sequential net{nn::Conv2d(64, 64, 3, {.padding = 1, .bias = false}), nn::BatchNorm2d(64),
                     nn::ReLU()};
  // The input and the gradient are outputs of an op, so that they have the same layout as within a
  // network.
  const Tensor x = nn::Conv2d(64, 64, 1)(randn({8, 64, 56, 56})).detach().set_requires_grad();
  const Tensor g = nn::Conv2d(64, 64, 1)(randn({8, 64, 56, 56})).detach();
  return seconds_per_call([&] {
           x.set_grad({});
           net.zero_grad();
           net(x).backward(g);
         }) *
         1e3;
}

}  // namespace

double lenet_step() {
  lenet::LeNet net;
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({64, 1, 28, 28}), y = random_labels(64);
  return seconds_per_call([&] {
           sgd.zero_grad();
           F::nll_loss(net(x), y).backward();
           sgd.step();
         }) *
         1e3;
}

std::vector<Benchmark> network_suite() {
  return {{.name = "MLP 32-64-64-10, batch 16: SGD step",
           .unit = "us",
           .measure = mlp_step,
           .budget = 7.5,
           .budget_ratio = 0.055,
           .limit = 3.9,
           .baseline = "mlp_step"},
          {.name = "LeNet b64: training step",
           .threads = 2,
           .unit = "ms",
           .measure = lenet_step,
           .budget_ratio = 0.40,
           .limit = 3.2,
           .baseline = "lenet_step"},
          {.name = "LeNet b64: inference",
           .threads = 2,
           .unit = "ms",
           .measure = lenet_inference,
           .budget_ratio = 0.50,
           .limit = 0.99,
           .baseline = "lenet_inference"},
          {.name = "conv-bn-relu 64ch 56x56 b8, forward and backward",
           .threads = 2,
           .unit = "ms",
           .measure = conv_bn_relu,
           .budget_ratio = 0.82,
           .limit = 14.4,
           .baseline = "conv_bn_relu"}};
}

}  // namespace taper::bench
