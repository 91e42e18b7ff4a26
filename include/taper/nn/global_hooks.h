// Global hooks, which run for the calls of all modules.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/backward_hooks.h"

namespace TAPER_API taper {
namespace nn {

/// Options of register_module_forward_hook.
struct GlobalHookOptions {
  bool always_call = false;  ///< also runs if the call throws
};

namespace detail {
RemovableHandle add_global_pre_hook(Hook hook);
RemovableHandle add_global_hook(ErasedHook hook, const GlobalHookOptions& options);
RemovableHandle add_global_backward_pre_hook(BackwardPreHook hook);
RemovableHandle add_global_backward_hook(BackwardHook hook, bool full);
}  // namespace detail

/// Registers `hook(module, args)`, which runs before the calls of all modules, before the hooks of
/// the module itself. PyTorch: torch.nn.modules.module.register_module_forward_pre_hook.
template <class F>
requires std::is_invocable_v<F&, Module&, Values&> RemovableHandle
register_module_forward_pre_hook(F hook) {
  return detail::add_global_pre_hook(detail::pre_hook(std::move(hook)).call);
}

/// Registers `hook(module, args, result)` or `hook(module, args, kwargs, result)`, which runs after
/// the calls of all modules, before the hooks of the module itself. If the call threw, `kwargs` is
/// empty. PyTorch: torch.nn.modules.module.register_module_forward_hook.
template <detail::ForwardHook F>
RemovableHandle register_module_forward_hook(F hook, const GlobalHookOptions& options = {}) {
  return detail::add_global_hook(detail::forward_hook(std::move(hook)), options);
}

/// Registers `hook(module, grad_output)`, which runs in the backward pass of all modules, before
/// the hooks of the module itself.
/// PyTorch: torch.nn.modules.module.register_module_full_backward_pre_hook.
template <detail::GeneralBackwardPreHook F>
RemovableHandle register_module_full_backward_pre_hook(F hook) {
  return detail::add_global_backward_pre_hook(detail::backward_pre_hook(std::move(hook)));
}

/// Registers `hook(module, grad_input, grad_output)`, which runs in the backward pass of all
/// modules, before the hooks of the module itself. Throws RuntimeError if a non-full global
/// backward hook was registered before.
/// PyTorch: torch.nn.modules.module.register_module_full_backward_hook.
template <detail::GeneralBackwardHook F>
RemovableHandle register_module_full_backward_hook(F hook) {
  return detail::add_global_backward_hook(detail::backward_hook(std::move(hook)), true);
}

/// Registers a deprecated, non-full backward hook for all modules. Throws RuntimeError if a full
/// global backward hook was registered before.
/// PyTorch: torch.nn.modules.module.register_module_backward_hook.
template <detail::GeneralBackwardHook F> RemovableHandle register_module_backward_hook(F hook) {
  return detail::add_global_backward_hook(detail::backward_hook(std::move(hook)), false);
}

}  // namespace nn
}  // namespace taper
