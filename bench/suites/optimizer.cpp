// Optimizer steps on many small parameters and on a large one.
#include <span>

#include "../benchmark.h"
#include "../files.h"
#include "cpu/threads.h"
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

std::unique_ptr<optim::Optimizer> make_optimizer(const std::string& name,
                                                 std::vector<Tensor> parameters) {
  Value options = Value::dict({{"lr", 1e-6}});
  if (name == "SGD") options["momentum"] = 0.9;
  return optim::make(name, std::move(parameters), options);
}

std::string benchmark_name(const std::string& name) {
  return name + (name == "SGD" ? " step with momentum" : " step");
}

/// Returns the benchmark of a step of the optimizer of class `name` on small parameters.
Benchmark small_step(const std::string& name, double budget_ratio,
                     std::optional<double> budget = {}) {
  const auto measure = [name] {
    const auto optimizer = make_optimizer(name, small_parameters());
    return seconds_per_call([&] { optimizer->step(); }) * 1e6;
  };
  return {.name = benchmark_name(name) + ", 100 parameters 16x16",
          .unit = "us",
          .measure = measure,
          .budget = budget,
          .budget_ratio = budget_ratio,
          .baseline = "step:" + name};
}

/// Step of LBFGS with a constant gradient and `stored` pairs of former changes. The inverse Hessian
/// that they define is a product of projections.
Benchmark lbfgs_step(int stored) {
  const auto measure = [stored] {
    optim::LBFGS lbfgs(small_parameters(), {.lr = 1e-6, .max_iter = 1});
    const Tensor loss = ones({});
    lbfgs.step([&] { return loss; });
    Value saved = lbfgs.state_dict();
    Value changes = Value::list(), curvatures = Value::list();
    for (int i = 0; i < stored; ++i) {
      const Tensor change = randn({100 * 16 * 16});
      changes.append(change);
      curvatures.append(change.dot(change).reciprocal());
    }
    auto&& state = saved["state"][0];
    state["old_dirs"] = changes;
    state["old_stps"] = changes;
    state["ro"] = curvatures;
    lbfgs.load_state_dict(saved);
    return seconds_per_call([&] { lbfgs.step([&] { return loss; }); }) * 1e6;
  };
  return {.name = "LBFGS step, " + std::to_string(stored) + " changes, 100 parameters 16x16",
          .unit = "us",
          .measure = measure,
          .budget_ratio = 0.5,
          .baseline = stored == 0 ? "lbfgs" : "lbfgs_stored"};
}

constexpr std::int64_t kLargeSize = 25'000'000;

std::vector<Tensor> large_parameter() {
  const Tensor parameter = zeros({kLargeSize}, {.requires_grad = true});
  parameter.set_grad(full({kLargeSize}, 1e-3));
  return {parameter};
}

/// Reads one array and updates `kNumUpdated` others: the memory traffic of an optimizer step.
template <int kNumUpdated>
void update_with_loop(const Tensor& read, const std::vector<Tensor>& updated) {
  cpu::parallel_for(0, kLargeSize, 1, [&](std::int64_t begin, std::int64_t end) {
    const float* __restrict const x = read.data_ptr<float>();
    float* __restrict const a = updated[0].data_ptr<float>();
    float* __restrict const b = updated[1].data_ptr<float>();
    float* __restrict const c = updated[kNumUpdated - 1].data_ptr<float>();
    for (std::int64_t i = begin; i < end; ++i) {
      a[i] += x[i];
      b[i] += x[i];
      if constexpr (kNumUpdated == 3) c[i] += x[i];
    }
  });
}

/// Step on a large parameter.
Benchmark large_step(const std::string& name, int threads) {
  const auto measure = [name] {
    const auto optimizer = make_optimizer(name, large_parameter());
    return seconds_per_call([&] { optimizer->step(); }, 1) * 1e3;
  };
  return {.name = benchmark_name(name) + ", 25 M parameters",
          .threads = threads,
          .unit = "ms",
          .measure = measure,
          .baseline = "large_step:" + name};
}

/// Step on a large parameter, relative to a simple loop that reads and writes the same number of
/// arrays: parameter, gradient and `kNumUpdated` - 1 states.
template <int kNumUpdated> Benchmark large_step_over_loop(const std::string& name, int threads) {
  const auto measure = [name] {
    const auto optimizer = make_optimizer(name, large_parameter());
    std::vector<Tensor> updated;
    for (int i = 0; i < kNumUpdated; ++i) updated.push_back(zeros({kLargeSize}));
    const Tensor gradient = full({kLargeSize}, 1e-3);
    const auto step = [&] { optimizer->step(); };
    const auto loop = [&] { update_with_loop<kNumUpdated>(gradient, updated); };
    step(), loop();  // allocates the states
    return time_ratio(
        [&] {
          for (int i = 0; i < 5; ++i) step();
        },
        [&] {
          for (int i = 0; i < 5; ++i) loop();
        });
  };
  return {.name = benchmark_name(name) + ", 25 M parameters, over a loop",
          .threads = threads,
          .unit = "x",
          .measure = measure,
          .budget = 1.25};
}

double clip_grad_norm() {
  const std::vector<Tensor> parameters = small_parameters();
  return seconds_per_call([&] { nn::utils::clip_grad_norm_(parameters, 1e6); }) * 1e6;
}

}  // namespace

std::vector<Benchmark> optimizer_suite() {
  std::vector<Benchmark> suite{small_step("SGD", 0.1, 10),
                               small_step("Adam", 0.12, 40),
                               small_step("AdamW", 0.12, 40),
                               small_step("RMSprop", 0.15),
                               small_step("Adagrad", 0.15),
                               small_step("Adadelta", 0.15),
                               small_step("Adamax", 0.15),
                               small_step("NAdam", 0.15),
                               small_step("RAdam", 0.15),
                               small_step("ASGD", 0.15),
                               small_step("Rprop", 0.15),
                               small_step("Adafactor", 0.3),
                               small_step("Muon", 0.5),
                               lbfgs_step(0),
                               lbfgs_step(100),
                               {.name = "clip_grad_norm_, 100 parameters 16x16",
                                .unit = "us",
                                .measure = clip_grad_norm,
                                .budget = 15,
                                .baseline = "clip_small"}};
  for (const int threads : {1, 2}) {
    suite.push_back(large_step("Adam", threads));
    suite.push_back(large_step_over_loop<3>("Adam", threads));
    suite.push_back(large_step("SGD", threads));
    suite.push_back(large_step_over_loop<2>("SGD", threads));
  }
  return suite;
}

}  // namespace taper::bench
