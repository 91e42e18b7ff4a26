// Optimizer steps on many small parameters.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

std::vector<Tensor> small_parameters() {
  std::vector<Tensor> parameters;
  for (int i = 0; i < 100; ++i) {
    parameters.push_back(randn({16, 16}).set_requires_grad());
    parameters.back().set_grad(randn({16, 16}));
  }
  return parameters;
}

double sgd_step() {
  optim::SGD sgd(small_parameters(), {.lr = 1e-6, .momentum = 0.9});
  return seconds_per_call([&] { sgd.step(); }) * 1e6;
}

double clip_grad_norm() {
  const std::vector<Tensor> parameters = small_parameters();
  return seconds_per_call([&] { nn::utils::clip_grad_norm_(parameters, 1e6); }) * 1e6;
}

}  // namespace

std::vector<Benchmark> optimizer_suite() {
  return {{.name = "SGD step, 100 parameters 16x16",
           .unit = "us",
           .measure = sgd_step,
           .budget = 10,
           .baseline = "sgd_small"},
          {.name = "clip_grad_norm_, 100 parameters 16x16",
           .unit = "us",
           .measure = clip_grad_norm,
           .budget = 15,
           .baseline = "clip_small"}};
}

}  // namespace taper::bench
