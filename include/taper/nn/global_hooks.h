// Hooks of every module's call.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/backward_hooks.h"

namespace TAPER_API taper {
namespace nn {

struct GlobalHookOptions {
  bool always_call = false;  ///< also when the call fails
};

namespace detail {
HookHandle add_global_pre_hook(Hook hook);
HookHandle add_global_hook(MadeHook hook, const GlobalHookOptions& options);
HookHandle add_global_backward_pre_hook(BackwardPreHook hook);
HookHandle add_global_backward_hook(BackwardHook hook, bool full);
}  // namespace detail

/// `hook(module, args)` before every call of every module, before the module's own hooks.
/// PyTorch: torch.nn.modules.module.register_module_forward_pre_hook.
template <class F>
requires std::is_invocable_v<F&, Module&, Values&> HookHandle
register_module_forward_pre_hook(F hook) {
  return detail::add_global_pre_hook(detail::pre_hook(std::move(hook)).call);
}

/// `hook(module, args, result)` or `hook(module, args, kwargs, result)` after every call of every
/// module, before the module's own hooks. After a failure kwargs is empty.
/// PyTorch: torch.nn.modules.module.register_module_forward_hook.
template <detail::ForwardHook F>
HookHandle register_module_forward_hook(F hook, const GlobalHookOptions& options = {}) {
  return detail::add_global_hook(detail::forward_hook(std::move(hook)), options);
}

/// `hook(module, grad_output)` in every module's backward, before the module's own.
/// PyTorch: torch.nn.modules.module.register_module_full_backward_pre_hook.
template <detail::GeneralBackwardPreHook F>
HookHandle register_module_full_backward_pre_hook(F hook) {
  return detail::add_global_backward_pre_hook(detail::backward_pre_hook(std::move(hook)));
}

/// `hook(module, grad_input, grad_output)` in every module's backward, before the module's own.
/// Throws RuntimeError if a non-full one was ever registered.
/// PyTorch: torch.nn.modules.module.register_module_full_backward_hook.
template <detail::GeneralBackwardHook F> HookHandle register_module_full_backward_hook(F hook) {
  return detail::add_global_backward_hook(detail::backward_hook(std::move(hook)), true);
}

/// The deprecated, non-full kind. Throws RuntimeError if a full one was ever registered.
/// PyTorch: torch.nn.modules.module.register_module_backward_hook.
template <detail::GeneralBackwardHook F> HookHandle register_module_backward_hook(F hook) {
  return detail::add_global_backward_hook(detail::backward_hook(std::move(hook)), false);
}

}  // namespace nn
}  // namespace taper
