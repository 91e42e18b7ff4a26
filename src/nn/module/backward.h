// Backward hooks of one call: identity nodes before and after its forward.
#pragma once
#include "nn/module/extra.h"
#include "taper/autograd/autograd.h"

namespace taper::nn {

/// Snapshot of the backward hooks of a call. Hooks that are registered or removed during the call
/// take effect in the next call.
struct BackwardHooks {
  HookLists<BackwardPreHook> pre;
  HookLists<BackwardHook> full, non_full;
  /// Either argument may be null.
  BackwardHooks(const HookTable* global, const HookTable* own);
};

/// One call with full backward hooks or pre-hooks. Its tensor arguments pass through one identity
/// node and its results through another; these nodes run the hooks.
class BackwardCall : public std::enable_shared_from_this<BackwardCall> {
 public:
  BackwardCall(Module& module, const BackwardHooks& hooks)
      : anchor_(ModuleAccess::anchor(module)), hooks_(hooks) {}

  void wrap_inputs(Values& args);
  void wrap_result(Value& result);

 private:
  using Gradients = GradFn::Gradients;
  using Indices = std::vector<std::size_t>;
  Module& module() const;
  Gradients on_result_grads(const Gradients& grad_output);
  Gradients on_input_grads(const Gradients& grad_input);
  void run_without_inputs();

  std::shared_ptr<ModuleAnchor> anchor_;
  BackwardHooks hooks_;
  std::size_t num_inputs_ = 0, num_results_ = 0;
  std::optional<Indices> input_tensors_, result_tensors_;  // nullopt if not wrapped
  std::optional<Values> grad_output_;  // set between the two nodes during a backward pass
};

/// Registers the deprecated non-full hooks on the node that created the first tensor of the result.
void register_non_full_hooks(const HookCall& call, const HookLists<BackwardHook>& hooks);

}  // namespace taper::nn
