// ParamGroup and Params: parameters of an optimizer with their options.
#pragma once
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace optim {

/// Parameter with a name, such as nn::NamedTensor.
template <class N>
concept NamedParameter = requires(const N& n) {
  { n.name } -> std::convertible_to<std::string>;
  { n.value } -> std::convertible_to<const Tensor&>;
};

/// Group of parameters with their options and state. Options are read in every step, so that an
/// assignment applies from the next step on: `opt.param_groups()[0]["lr"] = 0.01`. PyTorch: an
/// entry of Optimizer.param_groups.
class ParamGroup {
 public:
  using Options = std::initializer_list<std::pair<Value, Value>>;

  /// Creates a group of parameters, with or without names. `options` override the defaults of the
  /// optimizer.
  explicit ParamGroup(std::vector<Tensor> params, Options options = {});
  template <NamedParameter N> explicit ParamGroup(const std::vector<N>& named, Options options = {})
      : ParamGroup(std::vector<Tensor>{}, options) {
    for (const N& n : named) {
      params_.push_back(n.value);
      names_.push_back(n.name);
    }
    states_.resize(params_.size());
  }

  /// Returns the parameters.
  const std::vector<Tensor>& params() const { return params_; }
  /// Returns the names of the parameters; empty if they were given without names.
  const std::vector<std::string>& param_names() const { return names_; }

  /// Returns the dict of options. Modifying it modifies the options of the group.
  const Value& options() const { return options_; }
  /// Returns the option `name`, which may be assigned. Throws KeyError if it is read and does not
  /// exist.
  HeldItem operator[](std::string_view name) const { return options_[name]; }

  /// Returns the state of parameter i: a dict, or None before its first step.
  Value& state(std::size_t i) { return states_[i]; }
  const Value& state(std::size_t i) const { return states_[i]; }

 private:
  friend class Optimizer;
  friend class SwappedOptimizer;
  std::vector<Tensor> params_;
  std::vector<std::string> names_;
  Value options_;
  std::vector<Value> states_;
};

/// Parameters of an optimizer: a list (`net.parameters()`, `{w, b}`), a list with names
/// (`net.named_parameters()`), or groups with separate options:
/// `{ParamGroup(net.conv.parameters()), ParamGroup(net.fc.parameters(), {{"lr", 1e-3}})}`.
class Params {
 public:
  Params(std::vector<Tensor> params);
  Params(std::initializer_list<Tensor> params);
  template <NamedParameter N> Params(const std::vector<N>& named) {
    if (!named.empty()) groups_.emplace_back(named);
  }
  Params(std::vector<ParamGroup> groups);
  Params(std::initializer_list<ParamGroup> groups);

  /// Returns the groups.
  std::vector<ParamGroup>& groups() { return groups_; }

 private:
  std::vector<ParamGroup> groups_;
};

}  // namespace optim
}  // namespace taper
