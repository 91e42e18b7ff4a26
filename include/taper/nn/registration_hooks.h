// Hooks of every registration by name, in every module.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/function.h"
#include "taper/core/hook.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

namespace detail {

// Each may replace what is registered: the next hook, and the module, get what it leaves there.
using ParameterHook = Function<void(Module&, std::string_view name, Parameter& parameter)>;
using BufferHook = Function<void(Module&, std::string_view name, Tensor& tensor)>;
using ModuleHook =
    Function<void(Module&, std::string_view name, std::shared_ptr<Module>& submodule)>;
HookHandle add_parameter_hook(ParameterHook hook);
HookHandle add_buffer_hook(BufferHook hook);
HookHandle add_module_hook(ModuleHook hook);

/// A hook that returns something replaces the item by it, unless that is null or nullopt.
template <class Item, class F> auto replacing(F hook) {
  return [hook = std::move(hook)](Module& m, std::string_view name, Item& item) mutable {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, Module&, std::string_view, Item&>>) {
      hook(m, name, item);
    } else {
      auto fresh = hook(m, name, item);
      if constexpr (requires { fresh.defined(); }) {
        if (fresh.defined()) item = std::move(fresh);
      } else if constexpr (requires { item = *fresh; }) {
        if (fresh) item = *std::move(fresh);
      } else {
        if (fresh) item = std::move(fresh);
      }
    }
  };
}

}  // namespace detail

/// `hook(module, name, parameter)` in every registration of a parameter by name that is not None.
/// It may write another Parameter into `parameter`, or return one as std::optional<Parameter>.
/// PyTorch: torch.nn.modules.module.register_module_parameter_registration_hook.
template <class F>
requires std::is_invocable_v<F&, Module&, std::string_view, Parameter&> HookHandle
register_module_parameter_registration_hook(F hook) {
  return detail::add_parameter_hook(detail::replacing<Parameter>(std::move(hook)));
}

/// `hook(module, name, tensor)` in every registration of a buffer by name; an undefined tensor is
/// None. It may write another tensor into `tensor`, or return one (undefined: no change).
/// PyTorch: torch.nn.modules.module.register_module_buffer_registration_hook.
template <class F>
requires std::is_invocable_v<F&, Module&, std::string_view, Tensor&> HookHandle
register_module_buffer_registration_hook(F hook) {
  return detail::add_buffer_hook(detail::replacing<Tensor>(std::move(hook)));
}

/// `hook(module, name, submodule)` in every registration of a child by name; null is None. It may
/// write another pointer into `submodule`, or return one (null: no change).
/// PyTorch: torch.nn.modules.module.register_module_module_registration_hook.
template <class F>
requires std::is_invocable_v < F&, Module&, std::string_view, std::shared_ptr<Module>
& > HookHandle register_module_module_registration_hook(F hook) {
  return detail::add_module_hook(detail::replacing<std::shared_ptr<Module>>(std::move(hook)));
}

}  // namespace nn
}  // namespace taper
