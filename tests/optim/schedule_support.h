// Optimizers for the tests of schedulers.
#pragma once
#include <string>
#include <vector>

#include "taper/core/factory.h"
#include "taper/optim/optimizer.h"
#include "taper/optim/sgd.h"

namespace taper::test {

/// Returns one parameter group per rate, with one parameter each.
inline std::vector<optim::ParamGroup> groups_with(const std::vector<double>& rates) {
  std::vector<optim::ParamGroup> groups;
  for (const double lr : rates)
    groups.emplace_back(std::vector<Tensor>{ones({1}, {.requires_grad = true})},
                        optim::ParamGroup::Options{{"lr", lr}});
  return groups;
}

/// Returns SGD with momentum 0.9 and one parameter group per rate, with one parameter each.
inline optim::SGD sgd_with(const std::vector<double>& rates = {0.1}) {
  return optim::SGD(groups_with(rates), {.momentum = 0.9});
}

/// Optimizer without an update. Its only options are lr and those given.
class StubOptimizer : public optim::Optimizer {
 public:
  explicit StubOptimizer(const std::vector<double>& rates,
                         std::initializer_list<std::pair<Value, Value>> options = {})
      : Optimizer(defaults_with(options)) {
    add_params(groups_with(rates));
  }
  std::string_view type_name() const override { return "StubOptimizer"; }

 protected:
  void update(optim::ParamGroup&) override {}

 private:
  static Value defaults_with(std::initializer_list<std::pair<Value, Value>> options) {
    Value defaults = Value::dict({{"lr", 1e-3}});
    for (const auto& [name, value] : options) defaults[name] = value;
    return defaults;
  }
};

/// Returns the value of the option `name` of each group.
inline std::vector<double> options_named(const optim::Optimizer& optimizer,
                                         const std::string& name) {
  std::vector<double> numbers;
  for (const optim::ParamGroup& group : optimizer.param_groups())
    numbers.push_back(group[name].as_double());
  return numbers;
}
inline std::vector<double> rates_of(const optim::Optimizer& optimizer) {
  return options_named(optimizer, "lr");
}

}  // namespace taper::test
