// A step that fails leaves parameters and state unchanged, whichever parameter or group is the
// cause.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/tensor_impl.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/optim/make.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::to_vector;

/// Every optimizer except LBFGS, which evaluates a closure, with options that use all of the state.
std::vector<std::pair<std::string, Value>> stepping_optimizers() {
  const auto options = [](std::initializer_list<std::pair<Value, Value>> entries) {
    return Value::dict(entries);
  };
  return {{"SGD", options({{"momentum", 0.9}})},
          {"Adam", options({{"amsgrad", true}})},
          {"AdamW", {}},
          {"Adamax", {}},
          {"NAdam", {}},
          {"RAdam", {}},
          {"RMSprop", options({{"momentum", 0.9}, {"centered", true}})},
          {"Adagrad", {}},
          {"Adadelta", {}},
          {"Rprop", {}},
          {"ASGD", {}},
          {"Adafactor", {}},
          {"Muon", {}}};
}

/// Three matrices in one parameter group, or the last in a second group.
struct FailingStep {
  std::vector<Tensor> params;
  std::unique_ptr<optim::Optimizer> optimizer;

  FailingStep(const std::string& name, const Value& options, bool grouped) {
    for (int i = 0; i < 3; ++i)
      params.push_back(test::arange_shaped({3, 2}).add(i).sin().requires_grad_());
    using optim::ParamGroup;
    const std::vector<Tensor> first(params.begin(), params.begin() + 2), last{params[2]};
    optimizer = grouped ? optim::make(name, {ParamGroup(first), ParamGroup(last)}, options)
                        : optim::make(name, params, options);
  }
  void set_grads() const {
    for (const Tensor& p : params) p.set_grad(p.detach().cos());
  }
  std::string snapshot() const {
    std::string text = optimizer->state_dict().repr();
    for (const Tensor& p : params) text += p.detach().str();
    return text;
  }
  void expect_unchanged_by_failure() const {
    const std::string before = snapshot();
    const std::uint32_t version = params[0].version();
    EXPECT_THROW(optimizer->step(), Error);
    EXPECT_EQ(snapshot(), before);
    EXPECT_EQ(params[0].version(), version);
  }
};

/// Replaces the last gradient by one that does not match its parameter. `set_grad` rejects it.
void set_unchecked_grad(const Tensor& p, const Tensor& grad) {
  p.set_grad(zeros_like(p.detach()));
  p.grad().set_data(grad);
}

class FailedStep : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Groups, FailedStep, testing::Bool());

TEST_P(FailedStep, OfLastGradientChangesNothing) {
  for (const auto& [name, options] : stepping_optimizers())
    for (const int steps_before : {0, 2}) {
      SCOPED_TRACE(name + " after " + std::to_string(steps_before));
      const FailingStep failing(name, options, GetParam());
      for (int t = 0; t < steps_before; ++t) failing.set_grads(), failing.optimizer->step();
      for (const Tensor& wrong : {ones({2, 3}), ones({3, 2}, {.dtype = float64})}) {
        failing.set_grads();
        set_unchecked_grad(failing.params[2], wrong);
        failing.expect_unchanged_by_failure();
      }
      failing.set_grads();
      EXPECT_NO_THROW(failing.optimizer->step());
    }
}

TEST_P(FailedStep, OfLastStateChangesNothing) {
  for (const auto& [name, options] : stepping_optimizers()) {
    SCOPED_TRACE(name);
    const FailingStep failing(name, options, GetParam());
    failing.set_grads(), failing.optimizer->step();
    const Value state = failing.optimizer->state(failing.params[2]);
    const Value good = state.as_dict().copy();
    for (const auto& [key, value] : good.as_dict()) {
      if (value.as_tensor().numel() == 1) continue;  // a count of steps has any dtype
      for (const Value& wrong : {Value(ones({5})), Value(ones({3, 2}, {.dtype = float64}))}) {
        state[key] = wrong;
        failing.set_grads();
        failing.expect_unchanged_by_failure();
      }
      state[key] = value;
    }
    EXPECT_NO_THROW(failing.optimizer->step());
  }
}

TEST_P(FailedStep, OfLastOptionChangesNothing) {
  for (const auto& [name, options] : stepping_optimizers()) {
    SCOPED_TRACE(name);
    const FailingStep failing(name, options, GetParam());
    failing.set_grads();
    const optim::ParamGroup& group = failing.optimizer->param_groups().back();
    for (const Value& wrong : {Value("fast"), Value(tensor({0.1, 0.2}))}) {
      group["lr"] = wrong;
      failing.expect_unchanged_by_failure();
    }
    group["lr"] = 0.1;
    EXPECT_NO_THROW(failing.optimizer->step());
  }
}

TEST(FailedStep, RejectsParametersThatCannotBeModified) {
  for (const auto& [name, options] : stepping_optimizers()) {
    SCOPED_TRACE(name);
    const FailingStep failing(name, options, true);
    Tensor overlapping;
    {
      const NoGrad guard;
      overlapping = ones({2}).expand({3, 2});
    }
    const Tensor p = overlapping.detach().requires_grad_();
    failing.optimizer->add_param_group(optim::ParamGroup({p}));
    failing.set_grads();
    p.set_grad(ones({3, 2}));
    failing.expect_unchanged_by_failure();
  }
}

// A rate that is not a number is accepted where it is assigned, as in PyTorch, and computed with.
TEST(OptimizerStep, ComputesWithRatesThatAreNotNumbers) {
  for (const auto& [name, options] : stepping_optimizers()) {
    if (name == "Rprop") continue;  // reads the rate before its first step only
    SCOPED_TRACE(name);
    const FailingStep steps(name, options, false);
    steps.set_grads(), steps.optimizer->step();
    steps.optimizer->param_groups()[0]["lr"] = std::numeric_limits<double>::quiet_NaN();
    steps.set_grads(), steps.optimizer->step();
    steps.optimizer->step();  // ASGD applies a rate with a delay of one step
    EXPECT_TRUE(std::isnan(to_vector<float>(steps.params[0])[0]));
  }
}

}  // namespace
}  // namespace taper
