// Hooks of every module's call.
#pragma once
#include "taper/nn/hooks.h"

namespace taper::nn {

namespace detail {
HookHandle add_global_pre_hook(Hook hook);
HookHandle add_global_hook(Hook hook, const HookOptions& options);
}  // namespace detail

/// `hook(module, args)` before every call of every module, before the module's own hooks.
/// PyTorch: torch.nn.modules.module.register_module_forward_pre_hook.
template <class F>
requires std::is_invocable_v<F&, Module&, Values&> HookHandle
register_module_forward_pre_hook(F hook) {
  return detail::add_global_pre_hook(detail::pre_hook(std::move(hook)));
}

/// `hook(module, args, result)` after every call of every module, before the module's own hooks.
/// PyTorch: torch.nn.modules.module.register_module_forward_hook.
template <detail::ForwardHook F>
HookHandle register_module_forward_hook(F hook, const HookOptions& options = {}) {
  return detail::add_global_hook(detail::forward_hook(std::move(hook)), options);
}

}  // namespace taper::nn
