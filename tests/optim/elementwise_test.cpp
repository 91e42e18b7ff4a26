// Optimizers that update every element independently: layouts, dtypes, threads, recorded steps,
// state dicts.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/parallel.h"
#include "taper/optim/make.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::error_text, test::to_vector;
using OptimizerPtr = std::unique_ptr<optim::Optimizer>;

struct Config {
  const char* name;
  Value options;
  const char* keys;  ///< keys of the state of a parameter, separated by spaces
};

std::vector<Config> configs() {
  const auto options = [](std::initializer_list<std::pair<Value, Value>> entries) {
    return Value::dict(entries);
  };
  return {
      {"Adam", options({{"lr", 0.1}}), "step exp_avg exp_avg_sq"},
      {"Adam", options({{"weight_decay", 0.1}, {"amsgrad", true}, {"maximize", true}}),
       "step exp_avg exp_avg_sq max_exp_avg_sq"},
      {"Adam", options({{"betas", Value::tuple({0.3, 0.6})}, {"eps", 0.1}}),
       "step exp_avg exp_avg_sq"},
      {"AdamW", options({{"lr", 0.1}, {"weight_decay", 0.2}}), "step exp_avg exp_avg_sq"},
      {"Adamax", options({{"lr", 0.1}, {"weight_decay", 0.2}}), "step exp_avg exp_inf"},
      {"NAdam", options({{"lr", 0.1}, {"weight_decay", 0.2}, {"decoupled_weight_decay", true}}),
       "step mu_product exp_avg exp_avg_sq"},
      {"RAdam", options({{"lr", 0.1}, {"betas", Value::tuple({0.8, 0.9})}}),
       "step exp_avg exp_avg_sq"},
      {"RAdam", options({{"lr", 0.1}, {"weight_decay", 0.2}, {"decoupled_weight_decay", true}}),
       "step exp_avg exp_avg_sq"},
      {"RMSprop", options({{"weight_decay", 0.1}, {"maximize", true}}), "step square_avg"},
      {"RMSprop", options({{"centered", true}, {"momentum", 0.7}}),
       "step square_avg momentum_buffer grad_avg"},
      {"Adagrad", options({{"lr", 0.1}, {"lr_decay", 0.1}, {"initial_accumulator_value", 0.5}}),
       "step sum"},
      {"Adadelta", options({{"rho", 0.5}, {"weight_decay", 0.1}, {"eps", 1e-3}}),
       "step square_avg acc_delta"},
      // The initial step size is a number that narrow floats represent exactly.
      {"Rprop", options({{"lr", 0.125}, {"step_sizes", Value::tuple({0.01, 0.12})}}),
       "step prev step_size"},
      {"ASGD", options({{"lr", 0.1}, {"t0", 2.0}, {"weight_decay", 0.1}, {"lambd", 0.1}}),
       "step eta mu ax"},
  };
}

/// Returns a tensor of positive and negative numbers without zeros.
Tensor wave(const Shape& shape, double phase, DType dtype = float32) {
  return test::arange_shaped(shape, DType::f64).mul(0.7).add(phase).sin().add(0.05).to(dtype);
}

class Elementwise : public testing::TestWithParam<Config> {
 protected:
  static OptimizerPtr make(std::vector<Tensor> params, const Value& more = Value::dict()) {
    Value options = GetParam().options.as_dict().copy();
    for (const auto& [name, value] : more.as_dict()) options[name] = value;
    return optim::make(GetParam().name, std::move(params), options);
  }
  static void run(optim::Optimizer& optimizer, const Tensor& p, int begin, int end) {
    for (int t = begin; t < end; ++t) {
      p.set_grad(wave(p.shape(), 1.3 * t, p.dtype()));
      optimizer.step();
    }
  }
};

double difference(const Tensor& a, const Tensor& b) {
  return a.detach().to(DType::f64).sub(b.detach().to(DType::f64)).abs().max().item<double>();
}

// The two paths evaluate the same formula and fuse multiply-adds in the same places: they differ
// by the rounding of single operations.
TEST_P(Elementwise, ComposedStepMatchesFusedStep) {
  for (const DType dtype : {float32, float64}) {
    const Tensor plain = wave({5, 7}, 0.2, dtype).requires_grad_();
    const Tensor strided = wave({5, 7}, 0.2, dtype).t().contiguous().t().detach().requires_grad_();
    ASSERT_FALSE(strided.is_contiguous());
    const OptimizerPtr a = make({plain}), b = make({strided});
    run(*a, plain, 0, 9);
    run(*b, strided, 0, 9);
    EXPECT_LE(difference(plain, strided), dtype == float32 ? 2e-6 : 1e-14);
    EXPECT_GT(difference(plain, wave({5, 7}, 0.2, dtype)), 1e-3);
  }
}

TEST_P(Elementwise, GradientsOfAnyLayoutYieldSameBits) {
  const Tensor a = wave({5, 7}, 0.2).requires_grad_(), b = wave({5, 7}, 0.2).requires_grad_();
  const OptimizerPtr first = make({a}), second = make({b});
  for (int t = 0; t < 3; ++t) {
    const Tensor grad = wave({5, 7}, t);
    a.set_grad(grad);
    b.set_grad(grad.t().contiguous().t());
    first->step(), second->step();
  }
  EXPECT_EQ(to_vector<float>(a), to_vector<float>(b));
}

TEST_P(Elementwise, ReturnsSameBitsForAnyNumberOfThreads) {
  const int before = get_num_threads();
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    std::vector<Tensor> params;
    for (const std::int64_t n : {5, 40003, 33, 50001})
      params.push_back(wave({n}, 0.1).requires_grad_());
    const OptimizerPtr optimizer = make(params);
    for (int t = 0; t < 2; ++t) {
      for (const Tensor& p : params) p.set_grad(wave(p.shape(), t));
      optimizer->step();
    }
    found.emplace_back();
    for (const Tensor& p : params)
      for (const float x : to_vector<float>(p)) found.back().push_back(x);
  }
  set_num_threads(before);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST_P(Elementwise, ResumesFromStateDict) {
  const Tensor a = wave({3, 5}, 0.2).requires_grad_();
  const OptimizerPtr first = make({a});
  run(*first, a, 0, 6);
  const Tensor b = a.detach().clone().requires_grad_();
  const OptimizerPtr second = optim::make(GetParam().name, {b});
  second->load_state_dict(first->state_dict());
  run(*first, a, 6, 16);
  run(*second, b, 6, 16);
  EXPECT_EQ(to_vector<float>(a), to_vector<float>(b));
  EXPECT_EQ(first->state_dict()["param_groups"].repr(),
            second->state_dict()["param_groups"].repr());
}

TEST_P(Elementwise, StoresStateUnderPyTorchNames) {
  const Tensor p = wave({3}, 0.2).requires_grad_();
  const OptimizerPtr optimizer = make({p});
  run(*optimizer, p, 0, 3);
  std::string keys;
  const Value state = optimizer->state(p);
  for (const auto& [key, value] : state.as_dict())
    keys += (keys.empty() ? "" : " ") + key.as_string();
  EXPECT_EQ(keys, GetParam().keys);
  const Tensor step = optimizer->state(p)["step"].as_tensor();
  EXPECT_EQ(step.dtype(), float32);
  EXPECT_EQ(step.shape(), Shape());
  EXPECT_EQ(step.item<float>(), 3);
}

// Narrow floats are computed in f32 and rounded once per step.
TEST_P(Elementwise, StepsOnNarrowFloats) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor narrow = wave({300}, 0.2, dtype).requires_grad_();
    const Tensor wide = narrow.detach().to(float32).requires_grad_();
    const OptimizerPtr a = make({narrow}), b = make({wide});
    const Tensor grad = wave({300}, 0.3, dtype);
    narrow.set_grad(grad), wide.set_grad(grad.to(float32));
    a->step(), b->step();
    EXPECT_EQ(difference(narrow, wide.detach().to(dtype)), 0);
  }
}

TEST_P(Elementwise, MaximizeNegatesGradients) {
  const bool maximizes = GetParam().options.find("maximize") != nullptr;
  const Tensor a = wave({9}, 0.2).requires_grad_(), b = wave({9}, 0.2).requires_grad_();
  const OptimizerPtr up = make({a}, Value::dict({{"maximize", !maximizes}})), down = make({b});
  for (int t = 0; t < 3; ++t) {
    a.set_grad(wave({9}, t).neg()), b.set_grad(wave({9}, t));
    up->step(), down->step();
  }
  EXPECT_EQ(to_vector<float>(a), to_vector<float>(b));
}

TEST_P(Elementwise, StepsOnMetaAndEmptyTensors) {
  const Tensor meta = empty({2, 3}, {.device = "meta", .requires_grad = true});
  const Tensor none = empty({0, 3}, {.requires_grad = true});
  const Tensor number = zeros({}, {.requires_grad = true});
  const OptimizerPtr optimizer = make({meta, none, number});
  for (int t = 0; t < 2; ++t) {
    meta.set_grad(empty({2, 3}, {.device = "meta"}));
    none.set_grad(empty({0, 3}));
    number.set_grad(ones({}));
    optimizer->step();
  }
  EXPECT_NE(number.item<float>(), 0);
  EXPECT_EQ(optimizer->state(none)["step"].as_tensor().item<float>(), 2);
}

TEST_P(Elementwise, SkipsParametersWithoutGradient) {
  const Tensor a = wave({3}, 0.2).requires_grad_(), b = wave({3}, 0.2).requires_grad_();
  const OptimizerPtr optimizer = make({a, b});
  run(*optimizer, a, 0, 2);
  EXPECT_EQ(to_vector<float>(b), to_vector<float>(wave({3}, 0.2)));
  const Value state = optimizer->state(b);
  EXPECT_TRUE(state.is_none() || state["step"].as_tensor().item<float>() == 0);
}

TEST_P(Elementwise, FailedStepChangesNothing) {
  const Tensor a = wave({3}, 0.2).requires_grad_(), b = wave({3}, 0.2).requires_grad_();
  const OptimizerPtr optimizer = make({a, b});
  run(*optimizer, b, 0, 1);
  Value state = optimizer->state(b);
  const std::string key =
      std::string(GetParam().keys).substr(std::string(GetParam().keys).rfind(' ') + 1);
  state[key] = 3;
  const Value before = optimizer->state(a);
  a.set_grad(ones({3}));
  EXPECT_THROW(optimizer->step(), KeyError);
  EXPECT_EQ(to_vector<float>(a), to_vector<float>(wave({3}, 0.2)));
  EXPECT_EQ(optimizer->state(a).repr(), before.repr());
}

TEST_P(Elementwise, RejectsStateOfOtherOptimizers) {
  const Tensor a = wave({3}, 0.2).requires_grad_();
  const OptimizerPtr optimizer = make({a});
  run(*optimizer, a, 0, 1);
  const std::string before = optimizer->state_dict().repr();
  Value dict = optimizer->state_dict();
  dict["state"] = Value::dict({{0, Value::dict({{"momentum_buffer", ones({3})}})}});
  EXPECT_THROW(optimizer->load_state_dict(dict), ValueError);
  dict["state"] = Value::dict({{0, Value::dict()}});
  const Value state = optimizer->state(a);
  for (const auto& [key, value] : state.as_dict()) {
    const Tensor& t = value.as_tensor();
    dict["state"][0][key] = t.dim() == 0 ? t : ones({4});
  }
  EXPECT_THROW(optimizer->load_state_dict(dict), ValueError);
  EXPECT_EQ(optimizer->state_dict().repr(), before);
}

// Returns the loss after two steps from the initial parameter `p`. If `recorded` is true, the steps
// are differentiable.
double loss_of(OptimizerPtr optimizer, const Tensor& p, const Tensor& target, bool recorded) {
  for (int t = 0; t < 2; ++t) {
    const EnableGrad guard;
    const Tensor q = recorded ? p : p.detach().requires_grad_();
    const Tensor loss = q.sub(target).square().mul(q.mul(0.3).exp()).sum();
    p.set_grad(autograd::grad(loss, q, {.create_graph = recorded}));
    optimizer->step();
  }
  const Tensor loss = p.square().sum();
  if (recorded) loss.backward();
  return loss.item<double>();
}

void expect_recorded_steps_match_finite_differences(const Config& config) {
  const auto make = [&](const Tensor& p, bool recorded) {
    Value options = config.options.as_dict().copy();
    options["differentiable"] = recorded;
    return optim::make(config.name, {p}, options);
  };
  const Tensor start = wave({4}, 0.2, float64), target = wave({4}, 2.0, float64);
  const Tensor leaf = start.clone().requires_grad_();
  const Tensor p = leaf.mul(1);
  loss_of(make(p, true), p, target, true);
  ASSERT_TRUE(leaf.grad().defined());
  const std::vector<double> found = to_vector<double>(leaf.grad());
  for (std::int64_t i = 0; i < 4; ++i) {
    constexpr double kStep = 1e-6;
    double values[2];
    for (const int side : {0, 1}) {
      const Tensor moved = start.clone();
      moved[i] = start[i].item<double>() + (side ? kStep : -kStep);
      values[side] = loss_of(make(moved, false), moved, target, false);
    }
    const double expected = (values[1] - values[0]) / (2 * kStep);
    // The tolerance covers the error of central differences, which is of second order in kStep, and
    // rounding, 1e-16 / kStep.
    EXPECT_NEAR(found[static_cast<std::size_t>(i)], expected, 1e-6 * (1 + std::abs(expected)));
  }
}

TEST_P(Elementwise, RecordedStepsMatchFiniteDifferences) {
  expect_recorded_steps_match_finite_differences(GetParam());
}

/// Loss after two steps as a function of the learning rate, a tensor of any one-element shape.
double loss_of_rate(const char* name, const Value& options, const Tensor& lr, bool recorded) {
  const Tensor leaf = wave({4}, 0.2, float64).requires_grad_(), p = leaf.mul(1);
  const Tensor start = recorded ? p : leaf.detach().clone();
  Value given = options.as_dict().copy();
  given["differentiable"] = recorded;
  OptimizerPtr optimizer = optim::make(name, {start}, given);
  optimizer->param_groups()[0]["lr"] = lr;
  return loss_of(std::move(optimizer), start, wave({4}, 2.0, float64), recorded);
}

// The optimizers for which PyTorch supports a rate that requires grad.
TEST(DifferentiableStep, RecordsLearningRates) {
  const auto options = [](std::initializer_list<std::pair<Value, Value>> entries) {
    return Value::dict(entries);
  };
  const std::pair<const char*, Value> rows[] = {
      {"SGD", options({{"weight_decay", 0.1}})},
      {"SGD", options({{"momentum", 0.8}, {"nesterov", true}})},
      {"Adam", options({{"weight_decay", 0.1}, {"amsgrad", true}})},
      {"AdamW", options({{"weight_decay", 0.2}, {"maximize", true}})},
      {"NAdam", options({{"weight_decay", 0.2}, {"decoupled_weight_decay", true}})},
      {"RAdam", options({{"betas", Value::tuple({0.8, 0.9})}})},
      {"RAdam", options({{"weight_decay", 0.2}, {"decoupled_weight_decay", true}})},
  };
  for (const auto& [name, given] : rows)
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}}) {
      SCOPED_TRACE(name);
      const Tensor lr = full(shape, 0.1, {.dtype = float64, .requires_grad = true});
      const double value = loss_of_rate(name, given, lr, true);
      ASSERT_TRUE(lr.grad().defined());
      constexpr double kStep = 1e-6;
      const auto at = [&, &options = given, &type = name](double rate) {
        return loss_of_rate(type, options, tensor(rate, {.dtype = float64}), false);
      };
      EXPECT_NEAR(value, at(0.1), 1e-12 * (1 + std::abs(value)));
      const double expected = (at(0.1 + kStep) - at(0.1 - kStep)) / (2 * kStep);
      EXPECT_NE(expected, 0);
      EXPECT_NEAR(lr.grad().item<double>(), expected, 1e-6 * (1 + std::abs(expected)));
    }
}

TEST(DifferentiableStep, RejectsLearningRatesAsPyTorch) {
  const Tensor lr = tensor(0.1, {.dtype = float64, .requires_grad = true});
  const char* value = "addcdiv_(): argument 'value' must be Number, not Tensor";
  const char* alpha = "add_(): argument 'alpha' must be Number, not Tensor";
  const std::tuple<const char*, Value, const char*> rows[] = {
      {"Adamax", Value::dict(), value},
      {"Adagrad", Value::dict(), value},
      {"RMSprop", Value::dict(), value},
      {"RMSprop", Value::dict({{"momentum", 0.9}}), alpha},
      {"Adadelta", Value::dict(), alpha},
      {"Rprop", Value::dict(),
       "full_like(): argument 'fill_value' (position 2) must be Number, not Tensor"},
      {"ASGD", Value::dict(), alpha},  // PyTorch ignores the gradient
  };
  for (const auto& [name, options, text] : rows) {
    SCOPED_TRACE(name);
    EXPECT_EQ(error_text<TypeError>(
                  [&, &type = name, &given = options] { loss_of_rate(type, given, lr, true); }),
              text);
    EXPECT_NO_THROW(loss_of_rate(name, options, lr, false));  // the value is used
  }
}

TEST(DifferentiableStep, OfSGDMatchesFiniteDifferences) {
  for (const bool nesterov : {false, true})
    expect_recorded_steps_match_finite_differences(
        {"SGD",
         Value::dict(
             {{"lr", 0.1}, {"momentum", 0.8}, {"weight_decay", 0.1}, {"nesterov", nesterov}}),
         "momentum_buffer"});
}

std::string config_name(const testing::TestParamInfo<Config>& info) {
  return info.param.name + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Optimizers, Elementwise, testing::ValuesIn(configs()), config_name);

TEST(DifferentiableStep, RejectsLeaves) {
  const Tensor p = ones({2}).requires_grad_();
  optim::Adam adam({p}, {.differentiable = true});
  p.set_grad(ones({2}));
  EXPECT_THROW(adam.step(), RuntimeError);
  EXPECT_TRUE(adam.state(p).is_none());
  EXPECT_EQ(to_vector<float>(p), (std::vector<float>{1, 1}));
}

TEST(ElementwiseStep, ConvertsNumbersOfStepsFromOldCheckpoints) {
  const Tensor p = ones({2}).requires_grad_();
  optim::Adam adam({p});
  p.set_grad(ones({2}));
  adam.step();
  Value dict = adam.state_dict();
  dict["state"][0]["step"] = 1;
  adam.load_state_dict(dict);
  adam.step();
  EXPECT_EQ(adam.state(p)["step"].as_tensor().item<float>(), 2);
}

TEST(ElementwiseStep, CountsStepsInDefaultDtypeOfDouble) {
  const Tensor p = ones({2}).requires_grad_();
  optim::Adam adam({p});
  p.set_grad(ones({2}));
  set_default_dtype(float64);
  adam.step();
  set_default_dtype(float32);
  EXPECT_EQ(adam.state(p)["step"].as_tensor().dtype(), float64);
}

TEST(ElementwiseStep, CountsWrites) {
  const Tensor p = ones({3}).requires_grad_();
  const std::uint32_t version = p.version();
  p.set_grad(ones({3}));
  optim::Adam({p}).step();
  EXPECT_EQ(p.version(), version + 1);
}

}  // namespace
}  // namespace taper
