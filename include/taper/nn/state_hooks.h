// State dict hooks: types and conversion of typed hooks.
#pragma once
#include <type_traits>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/nn/convert.h"
#include "taper/nn/member_visitor.h"
#include "taper/nn/state_dict.h"

namespace TAPER_API taper {
namespace nn {
class Module;

/// Hook that runs before the entries of a module are saved.
using StateDictPreHook =
    SharedFunction<void(Module& module, std::string_view prefix, bool keep_vars)>;
/// Hook that runs after a module and its children were saved to `destination`. `metadata` is the
/// entry of the module in `_metadata` and may be extended.
using StateDictHook = SharedFunction<Value(Module& module, const Value& destination,
                                           std::string_view prefix, const Value& metadata)>;
/// Hook that runs before the entries of a module are loaded. It may modify all members of `state`.
using LoadStateDictPreHook = SharedFunction<void(Module& module, LoadState& state)>;
/// Hook that runs after a module and its children were loaded. Keys that it removes from `keys` are
/// not errors.
using LoadStateDictPostHook = SharedFunction<Value(Module& module, IncompatibleKeys& keys)>;

namespace detail {

// True if a hook that must not return a value returns void, or a Value, which is checked to be None
// at run time.
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
