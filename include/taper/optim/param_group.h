// Parameters that an optimizer treats alike, and the options it treats them with.
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

/// What a walk over a module with names gives: nn::NamedTensor.
template <class N>
concept NamedParameter = requires(const N& n) {
  { n.name } -> std::convertible_to<std::string>;
  { n.value } -> std::convertible_to<const Tensor&>;
};

/// A list of parameters, their options by name, and the optimizer's state for each. The options are
/// read at every step, so assigning to one takes effect at the next:
/// `opt.param_groups()[0]["lr"] = 0.01`. PyTorch: an entry of Optimizer.param_groups.
class ParamGroup {
 public:
  using Options = std::initializer_list<std::pair<Value, Value>>;

  /// `options` are those in which the group differs from the optimizer's own.
  explicit ParamGroup(std::vector<Tensor> params, Options options = {});
  template <NamedParameter N> explicit ParamGroup(const std::vector<N>& named, Options options = {})
      : ParamGroup(std::vector<Tensor>{}, options) {
    for (const N& n : named) {
      params_.push_back(n.value);
      names_.push_back(n.name);
    }
    states_.resize(params_.size());
  }

  const std::vector<Tensor>& params() const { return params_; }
  /// The parameters' names; empty if they came without.
  const std::vector<std::string>& param_names() const { return names_; }

  /// All options by name, a dict: reading, assigning, also of names that are new.
  const Value& options() const { return options_; }
  /// One option. Throws KeyError if there is none of that name.
  HeldItem operator[](std::string_view name) const { return options_[name]; }

  /// What the optimizer keeps of parameter i: a dict, or none before its first step.
  Value& state(std::size_t i) { return states_[i]; }
  const Value& state(std::size_t i) const { return states_[i]; }

 private:
  friend class Optimizer;
  std::vector<Tensor> params_;
  std::vector<std::string> names_;
  Value options_;
  std::vector<Value> states_;
};

/// What an optimizer is made over: parameters (`net.parameters()`, `{w, b}`), parameters with names
/// (`net.named_parameters()`), or groups with options of their own:
/// `{ParamGroup(net.conv.parameters()), ParamGroup(net.fc.parameters(), {{"lr", 1e-3}})}`.
class Params {
 public:
  Params(std::vector<Tensor> params);
  Params(std::initializer_list<Tensor> params) : Params(std::vector<Tensor>(params)) {}
  template <NamedParameter N> Params(const std::vector<N>& named) {
    if (!named.empty()) groups_.emplace_back(named);
  }
  Params(std::vector<ParamGroup> groups) : groups_(std::move(groups)) {}
  Params(std::initializer_list<ParamGroup> groups) : groups_(groups) {}

  std::vector<ParamGroup>& groups() { return groups_; }

 private:
  std::vector<ParamGroup> groups_;
};

}  // namespace optim
}  // namespace taper
