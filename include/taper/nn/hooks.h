// Forward hooks of modules: types, options and conversion of typed hooks.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/hook_guard.h"
#include "taper/core/shared_function.h"
#include "taper/nn/convert.h"
#include "taper/nn/member_visitor.h"

namespace TAPER_API taper {
namespace nn {
class Module;
using taper::HookGuard;
using taper::RemovableHandle;
using taper::Value;
using taper::Values;

/// Call of a module as its hooks receive it. `args` are the arguments of forward, `result` is the
/// result that the caller receives.
struct HookCall {
  Module& module;
  Values& args;
  Value& kwargs;  ///< dict of keyword arguments; None if neither caller nor hooks use them
  Value& result;  ///< None until forward returns
};
/// Type-erased hook, which may modify the arguments or the result of the call.
using Hook = SharedFunction<void(HookCall&)>;

/// Options of forward hooks.
struct HookOptions {
  bool prepend = false;      ///< runs before the hooks that are already registered
  bool always_call = false;  ///< also runs if the call throws
};
/// Options of hooks that do not run if the call throws.
struct PrependOption {
  bool prepend = false;  ///< runs before the hooks that are already registered
};

/// Kinds of module hooks. PyTorch: the dictionaries `_forward_hooks`, `_forward_pre_hooks`, ...
enum class HookKind : std::uint8_t {
  forward_pre,
  forward,
  backward_pre,
  backward,  ///< full and non-full hooks
  state_dict_pre,
  state_dict,  ///< state_dict post-hooks
  load_state_dict_pre,
  load_state_dict_post,
};
/// Registered hook of a module.
struct HookInfo {
  std::uint64_t id;          ///< id of its handle
  bool with_kwargs = false;  ///< receives keyword arguments
  bool always_call = false;
};
/// Hooks of one kind of one module, in the order in which they run. Prints as `OrderedDict([(3,
/// <forward hook>), (5, <forward hook, with_kwargs>)])`.
struct HookMap {
  HookKind kind{};
  std::vector<HookInfo> hooks{};
  /// Returns the printed form.
  std::string str() const;
};
/// Writes `map.str()`.
std::ostream& operator<<(std::ostream& out, const HookMap& map);

namespace detail {

/// Applies the result of a pre-hook: None leaves the arguments unchanged, a tuple replaces them,
/// and any other value becomes the only argument.
void replace_args(HookCall& call, Value returned);
/// Applies the result of a pre-hook with keyword arguments: None, or the tuple (args, kwargs).
void replace_args_and_kwargs(HookCall& call, Value returned);

/// Applies the result of a forward hook: None leaves the result of the call unchanged.
template <class R> void replace_result(HookCall& call, const R& returned) {
  Value v = to_value(returned);
  if (!v.is_none()) call.result = std::move(v);
}

/// Returns the dict of keyword arguments; creates it if it is None.
inline Value& keywords(HookCall& call) {
  if (call.kwargs.is_none()) call.kwargs = Value::dict();
  return call.kwargs;
}

/// Address that identifies the class M whose forward a typed hook was written for.
template <class M> inline char forward_of = 0;

/// Typed form of a forward hook, called with the original arguments without conversion to Value.
/// `args` points to the arguments; `closure` is the callable of the type-erased form.
struct TypedHook {
  const void* forward = nullptr;  ///< &forward_of<Class>; null if only the type-erased form exists
  void (*call)(void* closure, Module& module, const void* const* args, void* result) = nullptr;
};

/// Type-erased hook with its properties.
struct ErasedHook {
  Hook call{};
  bool with_kwargs = false;
  TypedHook direct{};
};

template <class F> ErasedHook pre_hook(F f) {
  if constexpr (std::is_invocable_v<F&, Module&, Values&, Value&>) {
    return {[f = std::move(f)](HookCall& c) mutable {
              if constexpr (std::is_void_v<std::invoke_result_t<F&, Module&, Values&, Value&>>)
                f(c.module, c.args, keywords(c));
              else
                replace_args_and_kwargs(c, to_value(f(c.module, c.args, keywords(c))));
            },
            true};
  } else {
    return {[f = std::move(f)](HookCall& c) mutable {
      if constexpr (std::is_void_v<std::invoke_result_t<F&, Module&, Values&>>)
        f(c.module, c.args);
      else
        replace_args(c, to_value(f(c.module, c.args)));
    }};
  }
}

template <class F> ErasedHook forward_hook(F f) {
  if constexpr (std::is_invocable_v<F&, Module&, const Values&, const Value&, Value&>) {
    return {
        [f = std::move(f)](HookCall& c) mutable {
          if constexpr (std::is_void_v<
                            std::invoke_result_t<F&, Module&, const Values&, const Value&, Value&>>)
            f(c.module, c.args, keywords(c), c.result);
          else
            replace_result(c, f(c.module, c.args, keywords(c), c.result));
        },
        true};
  } else {
    return {[f = std::move(f)](HookCall& c) mutable {
      if constexpr (std::is_void_v<std::invoke_result_t<F&, Module&, const Values&, Value&>>)
        f(c.module, c.args, c.result);
      else
        replace_result(c, f(c.module, c.args, c.result));
    }};
  }
}

template <class F>
concept PreHook =
    std::is_invocable_v<F&, Module&, Values&> || std::is_invocable_v<F&, Module&, Values&, Value&>;
template <class F>
concept ForwardHook = std::is_invocable_v<F&, Module&, const Values&, Value&> ||
    std::is_invocable_v<F&, Module&, const Values&, const Value&, Value&>;

/// Parameter and result types of a forward that is neither overloaded nor a template.
template <class Pointer> struct Signature;
template <class R_, class C, class... A> struct Signature<R_ (C::*)(A...)> {
  using R = R_;
  static constexpr std::size_t kCount = sizeof...(A);
  template <class F, class M> static constexpr bool kPreHook =
      std::is_invocable_v<F&, M&, std::remove_cvref_t<A>&...>;
  template <class F, class M> static constexpr bool kForwardHook = [] {
    if constexpr (std::is_void_v<R>)
      return false;
    else
      return std::is_invocable_v<F&, M&, const std::remove_cvref_t<A>&..., std::remove_cvref_t<R>&>;
  }();
  /// Converts hooks with the types of forward: arguments and result are converted before the hook
  /// and back after it.
  template <class M, class F> static ErasedHook pre_hook(F f) {
    return {[f = std::move(f)](HookCall& c) mutable {
      with_arguments(c, [&](std::remove_cvref_t<A>&... args) {
        f(static_cast<M&>(c.module), args...);
        [[maybe_unused]] auto to = c.args.begin();  // in place, to avoid a second vector
        ((*to++ = Convert<std::remove_cvref_t<A>>::to(args)), ...);
      });
    }};
  }
  template <class M, class F> static ErasedHook forward_hook(F f) {
    using Result = std::remove_cvref_t<R>;
    struct Closure {
      F f;
      void operator()(HookCall& c) {
        with_arguments(c, [&](const std::remove_cvref_t<A>&... args) {
          Result result = Convert<Result>::from(c.result);
          f(static_cast<M&>(c.module), args..., result);
          c.result = Convert<Result>::to(result);
        });
      }
      static void direct(void* self, Module& module, const void* const* args, void* result) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          static_cast<Closure*>(self)->f(static_cast<M&>(module),
                                         *static_cast<const std::remove_cvref_t<A>*>(args[I])...,
                                         *static_cast<Result*>(result));
        }
        (std::index_sequence_for<A...>{});
      }
    };
    return {Closure{std::move(f)}, false, {&forward_of<M>, Closure::direct}};
  }

 private:
  template <class Use> static void with_arguments(HookCall& c, Use use) {
    c.args.resize(kCount);  // missing default arguments are None
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::tuple<std::remove_cvref_t<A>...> args{
          Convert<std::remove_cvref_t<A>>::from(c.args[I])...};
      use(std::get<I>(args)...);
    }
    (std::index_sequence_for<A...>{});
  }
};
template <class R, class C, class... A> struct Signature<R (C::*)(A...) const>
    : Signature<R (C::*)(A...)> {};
template <class R, class C, class... A> struct Signature<R (C::*)(A...) noexcept>
    : Signature<R (C::*)(A...)> {};
template <class R, class C, class... A> struct Signature<R (C::*)(A...) const noexcept>
    : Signature<R (C::*)(A...)> {};

/// Class whose forward is neither overloaded nor a template.
template <class M>
concept NonOverloadedForward = requires {
  &M::forward;
};

/// Returns the type-erased form of a hook for module class M from a type-erased or a typed hook.
template <class M, class F> ErasedHook make_pre_hook(F f) {
  if constexpr (PreHook<F>) {
    return pre_hook(std::move(f));
  } else if constexpr (NonOverloadedForward<M>) {
    using S = Signature<decltype(&M::forward)>;
    static_assert(S::template kPreHook<F, M>,
                  "a forward pre-hook of this module is called as hook(nn::Module&, nn::Values& "
                  "args), hook(nn::Module&, nn::Values& args, nn::Value& kwargs), or "
                  "hook(Class&, Arg&...) with the types of its forward");
    if constexpr (S::template kPreHook<F, M>) return S::template pre_hook<M>(std::move(f));
  } else {
    static_assert(kNever<F>,
                  "forward of this module is overloaded or a template: its forward pre-hooks are "
                  "called as hook(nn::Module&, nn::Values& args)");
  }
  return {};
}

template <class M, class F> ErasedHook make_forward_hook(F f) {
  if constexpr (ForwardHook<F>) {
    return forward_hook(std::move(f));
  } else if constexpr (NonOverloadedForward<M>) {
    using S = Signature<decltype(&M::forward)>;
    static_assert(S::template kForwardHook<F, M>,
                  "a forward hook of this module is called as hook(nn::Module&, const nn::Values& "
                  "args, nn::Value& result), hook(nn::Module&, const nn::Values& args, const "
                  "nn::Value& kwargs, nn::Value& result), or hook(Class&, const Arg&..., Result&) "
                  "with the types of its forward");
    if constexpr (S::template kForwardHook<F, M>) return S::template forward_hook<M>(std::move(f));
  } else {
    static_assert(kNever<F>,
                  "forward of this module is overloaded or a template: its forward hooks are "
                  "called as hook(nn::Module&, const nn::Values& args, nn::Value& result)");
  }
  return {};
}

}  // namespace detail
}  // namespace nn
}  // namespace taper
