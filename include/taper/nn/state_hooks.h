// Hooks of saving and loading the state of modules.
#pragma once
#include <type_traits>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/function.h"
#include "taper/nn/convert.h"
#include "taper/nn/state_dict.h"
#include "taper/nn/walk.h"

namespace TAPER_API taper {
namespace nn {
class Module;

/// Before the entries of a module are saved.
using StateDictPreHook = Function<void(Module& module, std::string_view prefix, bool keep_vars)>;
/// After a module and its children were saved into `destination`. `metadata` is the module's entry
/// in `_metadata` and may be extended.
using StateDictHook = Function<Value(Module& module, const Value& destination,
                                     std::string_view prefix, const Value& metadata)>;
/// Before the entries of a module are loaded. Everything in `state` may be changed.
using LoadStateDictPreHook = Function<void(Module& module, LoadState& state)>;
/// After a module and its children were loaded. What is taken off `keys` is no error.
using LoadStateDictPostHook = Function<Value(Module& module, IncompatibleKeys& keys)>;

namespace detail {

// Hooks that must return nothing: a void one fits, one that returns a Value is watched at run time.
template <class F, class... A> inline constexpr bool kReturnsNothing = [] {
  if constexpr (!std::is_invocable_v<F&, A...>)
    return false;
  else
    return std::is_void_v<std::invoke_result_t<F&, A...>> ||
           std::is_same_v<std::invoke_result_t<F&, A...>, Value>;
}();

template <class F> StateDictHook state_dict_hook(F f) {
  using R = std::invoke_result_t<F&, Module&, const Value&, std::string_view, const Value&>;
  return [f = std::move(f)](Module& m, const Value& destination, std::string_view prefix,
                            const Value& metadata) mutable -> Value {
    if constexpr (std::is_void_v<R>) {
      f(m, destination, prefix, metadata);
      return {};
    } else {
      return f(m, destination, prefix, metadata);
    }
  };
}

template <class F> LoadStateDictPostHook load_post_hook(F f) {
  return [f = std::move(f)](Module& m, IncompatibleKeys& keys) mutable -> Value {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, Module&, IncompatibleKeys&>>) {
      f(m, keys);
      return {};
    } else {
      return f(m, keys);
    }
  };
}

}  // namespace detail
}  // namespace nn
}  // namespace taper
