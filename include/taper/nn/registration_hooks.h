// Global registration hooks, which run when a name is registered with any module.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/hook.h"
#include "taper/core/shared_function.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

namespace detail {

// Type-erased registration hooks. Each may replace the registered object; the next hook receives
// the replacement.
using ParameterHook = SharedFunction<void(Module&, std::string_view name, Parameter& parameter)>;
using BufferHook = SharedFunction<void(Module&, std::string_view name, Tensor& tensor)>;
using ModuleHook =
    SharedFunction<void(Module&, std::string_view name, std::shared_ptr<Module>& submodule)>;
RemovableHandle add_parameter_hook(ParameterHook hook);
RemovableHandle add_buffer_hook(BufferHook hook);
RemovableHandle add_module_hook(ModuleHook hook);

/// Returns a hook that replaces the item by the result of `hook`, unless that is void, undefined,
/// null or empty.
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

/// Registers `hook(module, name, parameter)`, which runs for each dynamic registration of a
/// parameter that is not None. It may assign another Parameter to `parameter`, or return a
/// std::optional<Parameter>.
/// PyTorch: torch.nn.modules.module.register_module_parameter_registration_hook.
template <class F>
requires std::is_invocable_v<F&, Module&, std::string_view, Parameter&> RemovableHandle
register_module_parameter_registration_hook(F hook) {
  return detail::add_parameter_hook(detail::replacing<Parameter>(std::move(hook)));
}

/// Registers `hook(module, name, tensor)`, which runs for each dynamic registration of a buffer; an
/// undefined tensor represents None. It may assign another tensor to `tensor`, or return one; an
/// undefined result has no effect.
/// PyTorch: torch.nn.modules.module.register_module_buffer_registration_hook.
template <class F>
requires std::is_invocable_v<F&, Module&, std::string_view, Tensor&> RemovableHandle
register_module_buffer_registration_hook(F hook) {
  return detail::add_buffer_hook(detail::replacing<Tensor>(std::move(hook)));
}

/// Registers `hook(module, name, submodule)`, which runs for each dynamic registration of a child;
/// null represents None. It may assign another pointer to `submodule`, or return one; a null result
/// has no effect. PyTorch: torch.nn.modules.module.register_module_module_registration_hook.
template <class F>
requires std::is_invocable_v < F&, Module&, std::string_view, std::shared_ptr<Module>
& > RemovableHandle register_module_module_registration_hook(F hook) {
  return detail::add_module_hook(detail::replacing<std::shared_ptr<Module>>(std::move(hook)));
}

}  // namespace nn
}  // namespace taper
