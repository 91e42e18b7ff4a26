// Optimizer: base class of the optimizers.
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/hook.h"
#include "taper/core/ignorable.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"
#include "taper/optim/param_group.h"

namespace TAPER_API taper {
namespace optim {
namespace lr_scheduler {
class LRScheduler;
}

/// Base of the optimizers. An optimizer stores handles of its parameters and reads their `grad`.
/// Conversions of a module preserve the identity of its parameters, so they may precede or follow
/// the construction of the optimizer. PyTorch: torch.optim.Optimizer.
///
/// A user-defined optimizer overrides `update`, which processes one group, and `type_name`, and
/// passes its options with their defaults to the constructor.
class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer();

  /// Updates all parameters that have a gradient. PyTorch: torch.optim.Optimizer.step.
  void step();
  /// Performs a step that evaluates the model: `closure` must clear the gradients, compute the
  /// loss, run backward and return the loss. It is called with gradients enabled. Returns the first
  /// loss. PyTorch: torch.optim.Optimizer.step.
  Ignorable<Tensor> step(const SharedFunction<Tensor()>& closure);

  /// Resets the gradients of all parameters to undefined, or to zero if `set_to_none` is false.
  /// PyTorch: torch.optim.Optimizer.zero_grad.
  void zero_grad(bool set_to_none = true);

  /// Adds a group. Options that it does not specify have the defaults of the optimizer. Throws
  /// ValueError if a tensor is neither a leaf nor retains its gradient (unless the default of the
  /// option `differentiable` is true), if a parameter is in another group, or if only some groups
  /// have names; TypeError if a tensor is undefined. Warns if the group contains a parameter twice.
  /// PyTorch: torch.optim.Optimizer.add_param_group.
  void add_param_group(ParamGroup group);
  /// Returns the groups, whose options may be assigned.
  /// PyTorch: torch.optim.Optimizer.param_groups.
  const std::vector<ParamGroup>& param_groups() const { return groups_; }
  /// Returns the default options as a dict. PyTorch: torch.optim.Optimizer.defaults.
  const Value& defaults() const { return defaults_; }
  /// Returns the state of a parameter, a dict; None before its first step and for a tensor that is
  /// not a parameter of the optimizer. PyTorch: torch.optim.Optimizer.state[param].
  Value state(const Tensor& param) const;

  /// Returns {"state": {index: {name: value}}, "param_groups": [{option: value, "params":
  /// [index]}]}, as in PyTorch. Parameters are numbered consecutively over all groups. Tensors are
  /// shared with the optimizer and change with the next step.
  /// PyTorch: torch.optim.Optimizer.state_dict.
  Value state_dict();
  /// Restores options and state. Tensors are copied and, except `step`, converted to the dtype and
  /// device of their parameter. Throws ValueError, without any change, if the number of groups or
  /// parameters differs or if the state does not match its parameter.
  /// PyTorch: torch.optim.Optimizer.load_state_dict.
  void load_state_dict(const Value& state_dict);
  template <std::convertible_to<std::string_view> Path>
  void load_state_dict(const Path&) = delete;  // a file is read by load(path)

  /// Returns Python's printed form: the class and the options of all groups.
  std::string str() const;
  /// Returns the class name.
  virtual std::string_view type_name() const = 0;

  /// Registers a hook that runs before, or after, each step. Hooks run in the order of
  /// registration. PyTorch: torch.optim.Optimizer.register_step_pre_hook,
  /// torch.optim.Optimizer.register_step_post_hook.
  RemovableHandle register_step_pre_hook(SharedFunction<void(Optimizer&)> hook);
  RemovableHandle register_step_post_hook(SharedFunction<void(Optimizer&)> hook);
  /// Registers a hook that runs before, or after, state_dict. A result of the post-hook that is not
  /// None replaces the dict. PyTorch: torch.optim.Optimizer.register_state_dict_pre_hook,
  /// torch.optim.Optimizer.register_state_dict_post_hook.
  RemovableHandle register_state_dict_pre_hook(SharedFunction<void(Optimizer&)> hook);
  RemovableHandle register_state_dict_post_hook(
      SharedFunction<Value(Optimizer&, const Value&)> hook);
  /// Registers a hook that runs before, or after, load_state_dict. The pre-hook receives a shallow
  /// copy of the dict; a result that is not None is loaded instead.
  /// PyTorch: torch.optim.Optimizer.register_load_state_dict_pre_hook,
  /// torch.optim.Optimizer.register_load_state_dict_post_hook.
  RemovableHandle register_load_state_dict_pre_hook(
      SharedFunction<Value(Optimizer&, const Value&)> hook);
  RemovableHandle register_load_state_dict_post_hook(SharedFunction<void(Optimizer&)> hook);

 protected:
  /// Creates an optimizer without parameters. `defaults` contains all options by name, in PyTorch's
  /// order. With `has_check_pass`, a step of several groups calls `update` twice per group; see
  /// `is_check_pass`.
  explicit Optimizer(Value defaults, bool has_check_pass = false);
  /// Adds the parameters of an optimizer. Throws ValueError if `params` is empty, and the errors of
  /// add_param_group.
  void add_params(Params params);

  /// Performs one step of one group. Called in no-grad mode, unless the option `differentiable` of
  /// the group is true.
  virtual void update(ParamGroup& group) = 0;
  /// Returns true in the first of two calls of `update` per group, which must throw the errors of
  /// the step and change nothing. The second calls follow if no group throws.
  bool is_check_pass() const { return is_check_pass_; }
  /// Performs one step and returns the first loss, undefined if `closure` is null, as for `step()`.
  /// Override it to call the closure several times.
  virtual Tensor run_step(const SharedFunction<Tensor()>* closure);
  /// Throws ValueError if the loaded `state` does not match `param`; by default, if it is not a
  /// dict.
  virtual void check_state(const Tensor& param, const Value& state) const;

  std::vector<ParamGroup>& groups() { return groups_; }

 private:
  friend class lr_scheduler::LRScheduler;
  friend class SwappedOptimizer;
  struct Hooks;
  Tensor hooked_step(const SharedFunction<Tensor()>* closure);
  void update_groups();
  void load(const Value& state_dict);
  Hooks& hooks();

  Value defaults_;
  std::vector<ParamGroup> groups_;
  std::shared_ptr<Hooks> hooks_;  // allocated with the first hook
  bool has_check_pass_, is_check_pass_ = false;
  bool has_scheduler_ = false;
  bool step_called_ = false;  // since the construction of the first scheduler
};

/// Writes `optimizer.str()`.
std::ostream& operator<<(std::ostream& out, const Optimizer& optimizer);

}  // namespace optim
}  // namespace taper
