// Calling modules: the fast way, with hooks, and through Value.
#pragma once
#include <type_traits>
#include <utility>

#include "taper/core/error.h"
#include "taper/nn/module_base.h"

namespace taper::nn::detail {

template <class T> const Tensor* shown(const T& argument) {
  if constexpr (std::is_base_of_v<Tensor, T>)
    return &argument;
  else if constexpr (std::is_same_v<T, std::optional<Tensor>>)
    return argument ? &*argument : nullptr;
  else
    return nullptr;
}

/// Adds to an error on its way up which module it passes; the innermost also adds its printed form
/// and its inputs (null: not a tensor).
[[gnu::cold]] void note_place(Error& error, Module& module, const Tensor* const* inputs,
                              std::size_t count) noexcept;

/// What run_hooked_call runs between the hooks: fills call.result.
struct ForwardThunk {
  void* context;
  void (*run)(void* context, HookCall& call);
};
/// Pre-hooks, forward, hooks; global ones first. Places of errors are noted.
void run_hooked_call(HookCall& call, ForwardThunk forward);

/// Types of the parameters of M::forward, or of the arguments where it is overloaded.
template <class M, class... A> struct Parameters {
  template <std::size_t I> using At =
      const std::remove_cvref_t<std::tuple_element_t<I, std::tuple<A...>>>&;
};
template <class Pointer> struct ParameterList;
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...)> {
  static constexpr std::size_t kCount = sizeof...(P);
  template <std::size_t I> using At = std::tuple_element_t<I, std::tuple<P...>>;
};
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...) const>
    : ParameterList<R (C::*)(P...)> {};
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...) noexcept>
    : ParameterList<R (C::*)(P...)> {};
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...) const noexcept>
    : ParameterList<R (C::*)(P...)> {};
template <PlainForward M, class... A> struct Parameters<M, A...>
    : ParameterList<decltype(&M::forward)> {};

/// The argument that forward gets after the pre-hooks: remade from its Value where that can be.
template <class P, class A> decltype(auto) argument(const Value& v, A& original) {
  if constexpr (Remakable<P>)
    return Convert<std::remove_cvref_t<P>>::from(v);
  else
    return static_cast<A&&>(original);
}

[[noreturn]] void throw_argument_count(const Module& module, std::size_t got, std::size_t least,
                                       std::size_t most);
[[noreturn]] void throw_not_erasable(const Module& module, const char* what);

template <class M, class... A> auto call_hooked(M& m, A&&... a)
    -> decltype(m.forward(static_cast<A&&>(a)...)) {
  using R = decltype(m.forward(static_cast<A&&>(a)...));
  Values args{to_value<std::remove_cvref_t<A>>(a)...};
  Value kwargs, result;
  HookCall call{m, args, kwargs, result};
  auto forward = [&]<std::size_t... I>(std::index_sequence<I...>)->R {
    if (args.size() != sizeof...(A))
      throw_argument_count(m, args.size(), sizeof...(A), sizeof...(A));
    return m.forward(argument<typename Parameters<M, A...>::template At<I>, A>(args[I], a)...);
  };
  using Index = std::index_sequence_for<A...>;
  if constexpr (std::is_void_v<R>) {
    auto body = [&] { forward(Index{}); };
    run_hooked_call(call,
                    {&body, [](void* f, HookCall&) { (*static_cast<decltype(body)*>(f))(); }});
  } else if constexpr (Remakable<R> && !std::is_reference_v<R>) {
    auto body = [&] { result = to_value<R>(forward(Index{})); };
    run_hooked_call(call,
                    {&body, [](void* f, HookCall&) { (*static_cast<decltype(body)*>(f))(); }});
    return Convert<R>::from(result);
  } else {
    std::optional<std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, R>> kept;
    auto body = [&] {
      if constexpr (std::is_reference_v<R>)
        kept = &forward(Index{});
      else
        kept.emplace(forward(Index{}));
      result = foreign_value();
    };
    run_hooked_call(call,
                    {&body, [](void* f, HookCall&) { (*static_cast<decltype(body)*>(f))(); }});
    if constexpr (std::is_reference_v<R>)
      return static_cast<R>(**kept);
    else
      return std::move(*kept);
  }
}

/// Hooks and forward. Without hooks: forward behind one test.
template <class M, class... A> decltype(auto) call_typed(M& m, A&&... a) {
  if constexpr (requires { m.forward(static_cast<A&&>(a)...); }) {
    if (!m.has_plain_call() && m.prepare_call()) [[unlikely]]
      return call_hooked(m, static_cast<A&&>(a)...);
    try {
      return m.forward(static_cast<A&&>(a)...);
    } catch (Error& error) {
      const Tensor* const inputs[] = {shown(a)..., nullptr};
      note_place(error, m, inputs, sizeof...(A));
      throw;
    }
  } else {
    static_assert(kNever<M>,
                  "this module has no forward, or its forward does not take these arguments");
  }
}

/// forward through Value: types from &M::forward, defaults from how few arguments it accepts.
template <class M, class Pointer> struct Erased;
template <class M, class R, class C, class... A> struct Erased<M, R (C::*)(A...)> {
  static constexpr std::size_t kMost = sizeof...(A);
  template <std::size_t I> using Arg = std::tuple_element_t<I, std::tuple<A...>>;

  template <std::size_t... I> static constexpr bool callable(std::index_sequence<I...>) {
    return requires(M & m) { m.forward(std::declval<Arg<I>>()...); };
  }
  template <std::size_t N> static constexpr std::size_t least() {
    if constexpr (N == 0)
      return 0;
    else if constexpr (callable(std::make_index_sequence<N - 1>{}))
      return least<N - 1>();
    else
      return N;
  }
  template <std::size_t N> static Value with(M& m, Values& v) {
    if constexpr (N < kMost)
      if (v.size() != N) return with<N + 1>(m, v);
    return [&]<std::size_t... I>(std::index_sequence<I...>)->Value {
      if constexpr (std::is_void_v<R>) {
        m.forward(Convert<std::remove_cvref_t<Arg<I>>>::from(v[I])...);
        return {};
      } else {
        return to_value<std::remove_cvref_t<R>>(
            m.forward(Convert<std::remove_cvref_t<Arg<I>>>::from(v[I])...));
      }
    }
    (std::make_index_sequence<N>{});
  }
  static Value call(M& m, Values& v) {
    if constexpr ((Remakable<A> && ...)) {
      constexpr std::size_t kLeast = least<kMost>();
      if (v.size() < kLeast || v.size() > kMost) throw_argument_count(m, v.size(), kLeast, kMost);
      return with<kLeast>(m, v);
    } else {
      throw_not_erasable(m, "has a parameter of a type that no Value holds");
    }
  }
};
template <class M, class R, class C, class... A> struct Erased<M, R (C::*)(A...) const>
    : Erased<M, R (C::*)(A...)> {};
template <class M, class R, class C, class... A> struct Erased<M, R (C::*)(A...) noexcept>
    : Erased<M, R (C::*)(A...)> {};
template <class M, class R, class C, class... A> struct Erased<M, R (C::*)(A...) const noexcept>
    : Erased<M, R (C::*)(A...)> {};

[[noreturn]] void throw_no_forward(const Module& module);

template <class M> Value forward_erased(M& m, Values& args) {
  if constexpr (PlainForward<M>)
    return Erased<M, decltype(&M::forward)>::call(m, args);
  else if constexpr (requires { m.forward(std::declval<const Tensor&>()); })
    throw_not_erasable(m, "is overloaded or a template");
  else
    throw_no_forward(m);
}

template <class M> Tensor call_with_tensor(M& m, const Tensor& x) {
  if constexpr (requires {
                  { m.forward(x) } -> std::same_as<Tensor>;
                })
    return call_typed(m, x);
  else
    return Convert<Tensor>::from(m.call(Values{Value(x)}));
}

}  // namespace taper::nn::detail
