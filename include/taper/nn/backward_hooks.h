// Module backward hooks: type-erased signatures and conversion of typed hooks.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "taper/core/api.h"
#include "taper/nn/hooks.h"

namespace TAPER_API taper {
namespace nn {

/// Type-erased full backward hook and full backward pre-hook. `grad_input` has one entry per
/// positional argument of the call, `grad_output` one per result; entries without a gradient are
/// None. The hook may modify the first list in place, or return a tuple or list that replaces it. A
/// None result leaves the list unchanged.
using BackwardHook =
    SharedFunction<Value(Module& module, Values& grad_input, const Values& grad_output)>;
using BackwardPreHook = SharedFunction<Value(Module& module, Values& grad_output)>;

namespace detail {

template <class F>
concept GeneralBackwardHook = std::is_invocable_v<F&, Module&, Values&, const Values&>;
template <class F>
concept GeneralBackwardPreHook = std::is_invocable_v<F&, Module&, Values&>;

/// Calls `f` and returns its result as a Value; None if `f` returns void.
template <class F, class... A> Value returned(F& f, A&&... a) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, A...>>) {
    f(static_cast<A&&>(a)...);
    return {};
  } else {
    return to_value(f(static_cast<A&&>(a)...));
  }
}

template <class F> BackwardHook backward_hook(F f) {
  return [f = std::move(f)](Module& m, Values& in, const Values& out) mutable {
    return returned(f, m, in, out);
  };
}
template <class F> BackwardPreHook backward_pre_hook(F f) {
  return [f = std::move(f)](Module& m, Values& out) mutable { return returned(f, m, out); };
}

/// Number of gradients of a result of type R: the number of elements of a tuple or pair, otherwise
/// 1.
template <class R> inline constexpr std::size_t kResults = 1;
template <class... T> inline constexpr std::size_t kResults<std::tuple<T...>> = sizeof...(T);
template <class A, class B> inline constexpr std::size_t kResults<std::pair<A, B>> = 2;

/// Returns the first `count` gradients as tensors; undefined for missing or None entries. The list
/// is shorter than `count` if the call used default arguments of forward.
std::vector<Tensor> gradients_of(const Values& values, std::size_t count);
/// Assigns `gradients` to the existing entries of `values`.
void put_gradients(Values& values, const std::vector<Tensor>& gradients);

/// Conversion of typed backward hooks: one tensor per parameter and per result of forward,
/// undefined for missing gradients.
template <class Pointer> struct Gradients;
template <class R, class C, class... A> struct Gradients<R (C::*)(A...)> {
  static constexpr std::size_t kIn = sizeof...(A), kOut = kResults<std::remove_cvref_t<R>>;
  using In = std::make_index_sequence<kIn>;
  using Out = std::make_index_sequence<kOut>;

  template <std::size_t> using Changed = Tensor&;
  template <std::size_t> using Seen = const Tensor&;
  template <class F, class M, std::size_t... I, std::size_t... O>
  static constexpr bool fits(std::index_sequence<I...>, std::index_sequence<O...>) {
    return std::is_invocable_v<F&, M&, Changed<I>..., Seen<O>...>;
  }
  template <class F, class M, std::size_t... O>
  static constexpr bool pre_fits(std::index_sequence<O...>) {
    return std::is_invocable_v<F&, M&, Changed<O>...>;
  }
  template <class F, class M> static constexpr bool kHook = fits<F, M>(In{}, Out{});
  template <class F, class M> static constexpr bool kPreHook = pre_fits<F, M>(Out{});

  template <class M, class F, std::size_t... I, std::size_t... O>
  static BackwardHook hook(F f, std::index_sequence<I...>, std::index_sequence<O...>) {
    return [f = std::move(f)](Module& m, Values& grad_input, const Values& grad_output) mutable {
      std::vector<Tensor> in = gradients_of(grad_input, kIn), out = gradients_of(grad_output, kOut);
      Value v = returned(f, static_cast<M&>(m), in[I]..., std::as_const(out[O])...);
      put_gradients(grad_input, in);
      return v;
    };
  }
  template <class M, class F, std::size_t... O>
  static BackwardPreHook pre_hook(F f, std::index_sequence<O...>) {
    return [f = std::move(f)](Module& m, Values& grad_output) mutable {
      std::vector<Tensor> out = gradients_of(grad_output, kOut);
      Value v = returned(f, static_cast<M&>(m), out[O]...);
      put_gradients(grad_output, out);
      return v;
    };
  }
};
template <class R, class C, class... A> struct Gradients<R (C::*)(A...) const>
    : Gradients<R (C::*)(A...)> {};
template <class R, class C, class... A> struct Gradients<R (C::*)(A...) noexcept>
    : Gradients<R (C::*)(A...)> {};
template <class R, class C, class... A> struct Gradients<R (C::*)(A...) const noexcept>
    : Gradients<R (C::*)(A...)> {};

/// Returns a type-erased backward hook for module class M from a type-erased or a typed hook.
template <class M, class F> BackwardHook make_backward_hook(F f) {
  if constexpr (GeneralBackwardHook<F>) {
    return backward_hook(std::move(f));
  } else if constexpr (NonOverloadedForward<M>) {
    using G = Gradients<decltype(&M::forward)>;
    static_assert(G::template kHook<F, M>,
                  "a full backward hook of this module is called as hook(nn::Module&, nn::Values& "
                  "grad_input, const nn::Values& grad_output), or hook(Class&, Tensor& "
                  "grad_input..., const Tensor& grad_output...) with one gradient per argument and "
                  "per result of its forward");
    if constexpr (G::template kHook<F, M>)
      return G::template hook<M>(std::move(f), typename G::In{}, typename G::Out{});
  } else {
    static_assert(kNever<F>,
                  "forward of this module is overloaded or a template: its full backward hooks are "
                  "called as hook(nn::Module&, nn::Values& grad_input, const nn::Values& "
                  "grad_output)");
  }
  return {};
}

/// As make_backward_hook, for a backward pre-hook.
template <class M, class F> BackwardPreHook make_backward_pre_hook(F f) {
  if constexpr (GeneralBackwardPreHook<F>) {
    return backward_pre_hook(std::move(f));
  } else if constexpr (NonOverloadedForward<M>) {
    using G = Gradients<decltype(&M::forward)>;
    static_assert(G::template kPreHook<F, M>,
                  "a full backward pre-hook of this module is called as hook(nn::Module&, "
                  "nn::Values& grad_output), or hook(Class&, Tensor& grad_output...) with one "
                  "gradient per result of its forward");
    if constexpr (G::template kPreHook<F, M>)
      return G::template pre_hook<M>(std::move(f), typename G::Out{});
  } else {
    static_assert(kNever<F>,
                  "forward of this module is overloaded or a template: its full backward pre-hooks "
                  "are called as hook(nn::Module&, nn::Values& grad_output)");
  }
  return {};
}

}  // namespace detail
}  // namespace nn
}  // namespace taper
