// What all optimizers have in common: parameter groups, zero_grad, state dicts, hooks.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/function.h"
#include "taper/core/hook.h"
#include "taper/core/ignorable.h"
#include "taper/core/value.h"
#include "taper/optim/param_group.h"

namespace TAPER_API taper {
namespace optim {

/// Base of the optimizers. One keeps handles of its parameters, so it sees what backward passes
/// leave in their `grad`; modules keep their parameters' identity through `to`, so conversions may
/// come before or after. PyTorch: torch.optim.Optimizer.
///
/// An optimizer of your own overrides `update` (one group, all gradients there) and
/// `type_name`, and gives the base its options with their defaults.
class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer();

  /// Moves every parameter that has a gradient.
  void step();
  /// The same for optimizers that evaluate the model themselves: `closure` clears the gradients,
  /// computes the loss, runs backward and returns the loss; it is called with recording enabled.
  /// Gives the (first) loss.
  Ignorable<Tensor> step(const Function<Tensor()>& closure);

  /// Drops the gradients of all parameters, or sets them to zero.
  void zero_grad(bool set_to_none = true);

  /// Adds a group; options it does not name get the optimizer's own. Throws ValueError for a tensor
  /// that is neither a leaf nor retains its gradient, for a parameter that another group has, and
  /// for names where other groups have none (or the reverse); TypeError for an undefined tensor.
  void add_param_group(ParamGroup group);
  /// The groups; their options may be assigned to.
  const std::vector<ParamGroup>& param_groups() const { return groups_; }
  /// The options that groups get when they do not name them: a dict.
  const Value& defaults() const { return defaults_; }
  /// What is kept for a parameter: a dict, or none before its first step and for tensors that are
  /// no parameter here. PyTorch: optimizer.state[param].
  Value state(const Tensor& param) const;

  /// {"state": {index: {name: value}}, "param_groups": [{option: value, "params": [index]}]}, as
  /// Python writes it; parameters are numbered through all groups. Tensors are shared with the
  /// optimizer: they change with the next step.
  Value state_dict();
  /// Takes over options and state; tensors are copied, and converted to dtype and device of their
  /// parameter (but `step`). Throws ValueError for other numbers of groups or parameters, or state
  /// that does not fit its parameter, and changes nothing then.
  void load_state_dict(const Value& state_dict);

  /// As Python prints it: the class and every group's options.
  std::string str() const;
  virtual std::string_view type_name() const = 0;

  /// Run before and after each step, in order of registration.
  HookHandle register_step_pre_hook(Function<void(Optimizer&)> hook);
  HookHandle register_step_post_hook(Function<void(Optimizer&)> hook);
  /// Before state_dict; after it, where a result that is not none replaces the dict.
  HookHandle register_state_dict_pre_hook(Function<void(Optimizer&)> hook);
  HookHandle register_state_dict_post_hook(Function<Value(Optimizer&, const Value&)> hook);
  /// Before load_state_dict, on a shallow copy of what it was given (a result that is not none is
  /// loaded in its place); after it.
  HookHandle register_load_state_dict_pre_hook(Function<Value(Optimizer&, const Value&)> hook);
  HookHandle register_load_state_dict_post_hook(Function<void(Optimizer&)> hook);

 protected:
  /// `defaults`: every option of the optimizer by name, in PyTorch's order.
  explicit Optimizer(Value defaults);
  /// Adds what an optimizer is made over. Throws ValueError if there is nothing.
  void add_params(Params params);

  /// One step of one group, with recording disabled.
  virtual void update(ParamGroup& group) = 0;
  /// A whole step; `closure` is null for step(). Override to call the closure several times.
  virtual Tensor run_step(const Function<Tensor()>* closure);
  /// Throws if loaded state cannot belong to `param`.
  virtual void check_state(const Tensor& param, const Value& state) const;

  std::vector<ParamGroup>& groups() { return groups_; }

 private:
  struct Hooks;
  struct Loaded;
  Tensor hooked_step(const Function<Tensor()>* closure);
  void load(const Value& state_dict);
  Hooks& hooks();

  Value defaults_;
  std::vector<ParamGroup> groups_;
  std::shared_ptr<Hooks> hooks_;  // made with the first hook
};

std::ostream& operator<<(std::ostream& out, const Optimizer& optimizer);

}  // namespace optim
}  // namespace taper
