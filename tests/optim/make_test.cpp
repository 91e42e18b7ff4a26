// Construction of optimizers: options by name, printed forms, rejected options.
#include "taper/optim/make.h"

#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/optim/optim.h"

namespace taper {
namespace {

using test::error_text;

Tensor matrix() { return zeros({2, 2}, {.requires_grad = true}); }

TEST(MakeOptimizer, CreatesEveryOptimizerWithItsDefaults) {
  for (const std::string_view name : optim::optimizer_names()) {
    const auto optimizer = optim::make(name, {matrix()});
    EXPECT_EQ(optimizer->type_name(), name);
    EXPECT_EQ(optimizer->str().substr(0, name.size() + 3), std::string(name) + " (\n");
    const auto again = optim::make(name, {matrix()}, Value::dict({{"lr", 0.25}}));
    EXPECT_NE(again->str(), optimizer->str());
  }
}

TEST(MakeOptimizer, PrintsAsPython) {
  EXPECT_EQ(
      optim::make("AdamW", {matrix()}, Value::dict({{"betas", Value::tuple({0.8, 0.95})}}))->str(),
      "AdamW (\nParameter Group 0\n    amsgrad: False\n    betas: (0.8, 0.95)\n"
      "    capturable: False\n    decoupled_weight_decay: True\n    differentiable: False\n"
      "    eps: 1e-08\n    foreach: None\n    fused: None\n    lr: 0.001\n"
      "    maximize: False\n    weight_decay: 0.01\n)");
}

TEST(MakeOptimizer, RejectsUnknownNames) {
  EXPECT_EQ(error_text<AttributeError>([] { optim::make("Adma", {matrix()}); }),
            "optim.make: unknown optimizer 'Adma', expected one of ASGD, Adadelta, Adafactor, "
            "Adagrad, Adam, AdamW, Adamax, LBFGS, Muon, NAdam, RAdam, RMSprop, Rprop, SGD");
  EXPECT_EQ(error_text<TypeError>([] {
              optim::make("Adam", {matrix()}, Value::dict({{"beta", 0.9}}));
            }),
            "Adam.__init__() got an unexpected keyword argument 'beta'");
  EXPECT_THROW(optim::make("Adam", {matrix()}, Value::dict({{"lr", "fast"}})), TypeError);
}

struct Rejected {
  const char* name;
  const char* option;
  Value value;
  const char* text;
};

TEST(MakeOptimizer, RejectsOptionsOutsideDomain) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Rejected rows[] = {
      {"Adam", "lr", -1.0, "Invalid learning rate: -1.0"},
      {"Adam", "lr", nan, "Invalid learning rate: nan"},
      {"Adam", "eps", -1e-3, "Invalid epsilon value: -0.001"},
      {"Adam", "betas", Value::tuple({1.0, 0.9}), "Invalid beta parameter at index 0: 1.0"},
      {"AdamW", "betas", Value::tuple({0.9, -0.1}), "Invalid beta parameter at index 1: -0.1"},
      {"AdamW", "weight_decay", -1, "Invalid weight_decay value: -1"},
      {"Adamax", "eps", -1, "Invalid epsilon value: -1"},
      {"NAdam", "momentum_decay", -1, "Invalid momentum_decay value: -1"},
      {"RAdam", "weight_decay", -1, "Invalid weight_decay value: -1"},
      {"RMSprop", "alpha", -1, "Invalid alpha value: -1"},
      {"RMSprop", "momentum", -1, "Invalid momentum value: -1"},
      {"Adagrad", "lr_decay", -1, "Invalid lr_decay value: -1"},
      {"Adagrad", "initial_accumulator_value", -1, "Invalid initial_accumulator_value value: -1"},
      {"Adadelta", "rho", 1.5, "Invalid rho value: 1.5"},
      {"Rprop", "etas", Value::tuple({1.5, 1.2}), "Invalid eta values: 1.5, 1.2"},
      {"ASGD", "weight_decay", -1, "Invalid weight_decay value: -1"},
      {"Adafactor", "lr", -1.0, "Learning rate should be >= 0 but is: -1.0"},
      {"Adafactor", "beta2_decay", 0.5, "beta2_decay should be <= 0 but is: 0.5"},
      {"Adafactor", "eps", Value::tuple({-1, 0.1}), "epsilon1 should be >= 0 but is: -1"},
      {"Adafactor", "d", 0.5, "Clipping threshold d should be >= 1 but is: 0.5"},
      {"Muon", "momentum", -1, "momentum should be >= 0 but is: -1"},
      {"Muon", "adjust_lr_fn", "other", "Adjust learning rate function other is not supported"},
      {"LBFGS", "lr", -1.0, "Invalid learning rate: -1.0"},
  };
  for (const Rejected& row : rows)
    EXPECT_EQ(error_text<ValueError>([&] {
                optim::make(row.name, {matrix()}, Value::dict({{row.option, row.value}}));
              }),
              row.text)
        << row.name;
}

// SGD compares the rate with zero, which NaN passes, as in PyTorch.
TEST(MakeOptimizer, RejectsRatesThatAreNotNumbers) {
  const Value options = Value::dict({{"lr", std::numeric_limits<double>::quiet_NaN()}});
  for (const std::string_view name : optim::optimizer_names()) {
    const auto make = [&] { optim::make(name, {matrix()}, options); };
    if (name == "SGD")
      EXPECT_NO_THROW(make());
    else if (name == "Adafactor" || name == "Muon")
      EXPECT_EQ(error_text<ValueError>(make), "Learning rate should be >= 0 but is: nan");
    else
      EXPECT_EQ(error_text<ValueError>(make), "Invalid learning rate: nan") << name;
  }
}

TEST(MakeOptimizer, RejectsFusedCombinations) {
  for (const char* name : {"Adam", "AdamW", "Adagrad"}) {
    const auto rejected = [&](const char* other) {
      return error_text<RuntimeError>([&] {
        optim::make(name, {matrix()}, Value::dict({{"fused", true}, {other, true}}));
      });
    };
    EXPECT_EQ(rejected("foreach"), "`fused` and `foreach` cannot be `True` together.");
    EXPECT_EQ(rejected("differentiable"), "`fused` does not support `differentiable`");
  }
}

}  // namespace
}  // namespace taper
