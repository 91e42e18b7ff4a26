// ElementwiseGroup: parameters of a group and their state, for optimizers that update every element
// independently.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "optim/options.h"
#include "taper/ops/optimizer_step.h"

namespace taper::optim {

/// Entry of the state of a parameter, besides `step`.
struct StateSpec {
  std::string_view name;
  double initial = 0;
  /// True for a 0-dimensional tensor of dtype f64 if that is the default dtype, otherwise f32;
  /// false for a tensor of the shape and dtype of the parameter.
  bool scalar = false;
  bool used = true;  ///< false if the options of the group do not require the entry
};

/// Returns a new step counter: a 0-dimensional tensor of value 0, of dtype f64 if that is the
/// default dtype, otherwise f32.
Tensor new_step();
/// Returns the state of a parameter before its first step.
Value new_elementwise_state(const Tensor& param, std::span<const StateSpec> specs);
/// Throws ValueError if the loaded state of a parameter is neither empty nor that of the optimizer
/// `type`.
void check_elementwise_state(std::string_view type, const Tensor& param, const Value& state,
                             std::span<const StateSpec> specs);

/// Parameters of a group that have a gradient. The constructor creates missing states and throws
/// KeyError if an existing state lacks a tensor. The destructor removes the created states unless
/// `commit` was called, so that a failed step changes nothing.
class ElementwiseGroup {
 public:
  /// With `check_only`, `step_elementwise` performs no step.
  ElementwiseGroup(std::string_view type, ParamGroup& group, std::span<const StateSpec> specs,
                   bool check_only);
  ~ElementwiseGroup();
  ElementwiseGroup(const ElementwiseGroup&) = delete;
  ElementwiseGroup& operator=(const ElementwiseGroup&) = delete;

  std::string_view type() const { return type_; }
  bool check_only() const { return check_only_; }
  std::span<const ops::StepTensors> tensors() const { return tensors_; }
  std::size_t size() const { return tensors_.size(); }
  /// Returns the number of the current step of parameter i, at least 1.
  double step_number(std::size_t i) const { return ops::scalar_value(*steps_[i]) + 1; }
  /// Returns scalar state k of parameter i.
  const Tensor& scalar(std::size_t i, std::size_t k) const { return *scalars_[i][k]; }

  /// Increments the step counters and retains the created states.
  void commit();

 private:
  void add(const Tensor& param, const Tensor& grad, Value& state, std::span<const StateSpec> specs);

  std::string_view type_;
  bool check_only_;
  ParamGroup& group_;
  std::vector<ops::StepTensors> tensors_;
  std::vector<const Tensor*> steps_;
  std::vector<std::array<const Tensor*, 2>> scalars_;
  std::vector<std::size_t> new_state_indices_;
};

/// Performs one step of a group: `set_step_coefficients(step, t)` sets the coefficients that depend
/// on the number t of the step, which is usually the same for all parameters, and
/// `set_param_coefficients(step, i)` those that differ between parameters. `update` then updates
/// all parameters.
template <class Step, class Number, class Adjust>
void step_elementwise(ElementwiseGroup& group, Step step, const Number& set_step_coefficients,
                      const Adjust& set_param_coefficients,
                      void (*update)(std::span<const ops::StepTensors>, std::span<const Step>)) {
  std::vector<Step> steps;
  steps.reserve(group.size());
  double last = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (const double t = group.step_number(i); t != last) set_step_coefficients(step, last = t);
    set_param_coefficients(step, i);
    steps.push_back(step);
  }
  if (group.check_only()) return ops::check_step(group.type(), group.tensors());
  update(group.tensors(), steps);
  group.commit();
}
template <class Step, class Number>
void step_elementwise(ElementwiseGroup& group, const Step& step,
                      const Number& set_step_coefficients,
                      void (*update)(std::span<const ops::StepTensors>, std::span<const Step>)) {
  step_elementwise(
      group, step, set_step_coefficients, [](Step&, std::size_t) {}, update);
}

}  // namespace taper::optim
