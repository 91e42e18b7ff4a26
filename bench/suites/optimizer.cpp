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

/// Seconds of a step of the optimizer of class `name`, in microseconds.
Benchmark step_of(const std::string& name, double budget_ratio, std::optional<double> budget = {}) {
  const auto measure = [name] {
    const auto optimizer = optim::make(name, small_parameters(), Value::dict({{"lr", 1e-6}}));
    return seconds_per_call([&] { optimizer->step(); }) * 1e6;
  };
  return {.name = name + " step, 100 parameters 16x16",
          .unit = "us",
          .measure = measure,
          .budget = budget,
          .budget_ratio = budget_ratio,
          .baseline = "step:" + name};
}

double lbfgs_step() {
  const std::vector<Tensor> parameters = small_parameters();
  optim::LBFGS lbfgs(parameters, {.lr = 1e-6, .max_iter = 1});
  const Tensor loss = ones({});
  return seconds_per_call([&] { lbfgs.step([&] { return loss; }); }) * 1e6;
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
          step_of("Adam", 0.12, 40),
          step_of("AdamW", 0.12, 40),
          step_of("RMSprop", 0.15),
          step_of("Adagrad", 0.15),
          step_of("Adadelta", 0.15),
          step_of("Adamax", 0.15),
          step_of("NAdam", 0.15),
          step_of("RAdam", 0.15),
          step_of("ASGD", 0.15),
          step_of("Rprop", 0.15),
          step_of("Adafactor", 0.3),
          step_of("Muon", 0.5),
          {.name = "LBFGS step, 100 parameters 16x16",
           .unit = "us",
           .measure = lbfgs_step,
           .budget_ratio = 0.5,
           .baseline = "lbfgs_small"},
          {.name = "clip_grad_norm_, 100 parameters 16x16",
           .unit = "us",
           .measure = clip_grad_norm,
           .budget = 15,
           .baseline = "clip_small"}};
}

}  // namespace taper::bench
