// Implementation of module calls: direct, with hooks, and type-erased.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/error.h"
#include "taper/nn/detail/module_access.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn::detail {

/// Returns the tensor in an argument, for error contexts; null if there is none.
template <class T> const Tensor* tensor_or_null(const T& argument) {
  if constexpr (std::is_base_of_v<Tensor, T>)
    return &argument;
  else if constexpr (std::is_same_v<T, std::optional<Tensor>> || std::is_same_v<T, OptionalTensor>)
    return argument ? &*argument : nullptr;
  else
    return nullptr;
}

/// Adds the module to the error context of an exception that propagates through its call. The
/// innermost module also adds its printed form and its inputs (null: the argument is not a tensor).
[[gnu::cold]] void add_context(Error& error, const Module& module, const Tensor* const* inputs,
                               std::size_t count) noexcept;

/// Appends the tensors in an argument to the inputs of an error context; null for an argument that
/// is not a tensor.
template <class T> void append_input(std::vector<const Tensor*>& inputs, const T& argument) {
  if constexpr (taper::detail::ListedOptions<T>) {
    T::taper_visit(argument, [&](std::string_view, const auto& field) {
      if constexpr (std::is_same_v<decltype(field), const OptionalTensor&>)
        if (field) inputs.push_back(&*field);
    });
  } else {
    inputs.push_back(tensor_or_null(argument));
  }
}
template <class... A>
[[gnu::cold]] void add_call_context(Error& error, const Module& module, const A&... arguments) {
  std::vector<const Tensor*> inputs;
  (append_input(inputs, arguments), ...);
  add_context(error, module, inputs.data(), inputs.size());
}

/// Forward function that `run_hooked_call` invokes between the hooks. It assigns `call.result`.
struct ForwardThunk {
  void* context;
  void (*run)(void* context, HookCall& call);
};
/// While it exists, forward of the module runs as part of a call on the current thread, see
/// Module::check_called. Required only in calls that run hooks or compute members.
class CallInProgress {
 public:
  explicit CallInProgress(const Module& module) noexcept;
  ~CallInProgress();
  CallInProgress(const CallInProgress&) = delete;
  CallInProgress& operator=(const CallInProgress&) = delete;
  static const Module* module() noexcept;  // of the innermost call; null outside of calls

 private:
  const Module* outer_;
};

/// Runs the pre-hooks, forward and the forward hooks; global hooks run before those of the module.
/// Adds the module to the error context of exceptions.
void run_hooked_call(HookCall& call, ForwardThunk forward);

/// Argument buffer of one hooked call. Its memory is reused by later calls on the same thread.
class ArgumentBuffer {
 public:
  ArgumentBuffer();
  ~ArgumentBuffer();
  ArgumentBuffer(const ArgumentBuffer&) = delete;
  ArgumentBuffer& operator=(const ArgumentBuffer&) = delete;
  Values values;
};

/// Returns true if all hooks of `module` are forward hooks with the parameter types of this
/// forward.
bool has_only_typed_hooks(Module& module, const void* forward);
/// Runs the currently registered forward hooks in typed form. Returns false, without running any of
/// them, if one requires the type-erased form.
bool run_typed_hooks(Module& module, const void* forward, const void* const* args, void* result);
/// Runs all currently registered forward hooks in type-erased form.
void run_forward_hooks(HookCall& call);

/// Parameter types of M::forward, or the argument types if forward is overloaded.
template <class M, class... A> struct Parameters {
  template <std::size_t I> using At =
      const std::remove_cvref_t<std::tuple_element_t<I, std::tuple<A...>>>&;
};
template <class Pointer> struct ParameterList;
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...)> {
  static constexpr bool kConst = false;
  static constexpr std::size_t kCount = sizeof...(P);
  template <std::size_t I> using At = std::tuple_element_t<I, std::tuple<P...>>;
};
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...) const>
    : ParameterList<R (C::*)(P...)> {
  static constexpr bool kConst = true;
};
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...) noexcept>
    : ParameterList<R (C::*)(P...)> {};
template <class R, class C, class... P> struct ParameterList<R (C::*)(P...) const noexcept>
    : ParameterList<R (C::*)(P...) const> {};
template <NonOverloadedForward M, class... A> struct Parameters<M, A...>
    : ParameterList<decltype(&M::forward)> {};

/// Returns true if forward can be called on a const M; for an overloaded forward, the overload that
/// accepts a tensor is tested. Returns true for a class without forward, whose call is rejected by
/// a separate error.
template <class M> consteval bool has_const_forward() {
  if constexpr (NonOverloadedForward<M>)
    return ParameterList<decltype(&M::forward)>::kConst;
  else if constexpr (requires(M & m, const Tensor& x) { m.forward(x); })
    return requires(const M& m, const Tensor& x) { m.forward(x); };
  else
    return true;
}

/// True if a call operator with the first `count` parameters of forward is declared for `M`, which
/// may be const. The one of a non-const class exists only if its forward is not const; the one of a
/// const class always, so that calling a const module is reported by call_typed. Lazy modules,
/// whose calls are never const, and layers whose forward is not const have none: they would need
/// twice as many declarations in each of more than a hundred layers.
template <class M, std::size_t count> consteval bool has_typed_call() {
  using Class = std::remove_const_t<M>;
  if constexpr (!NonOverloadedForward<Class>) {
    return false;
  } else {
    using P = ParameterList<decltype(&Class::forward)>;
    constexpr bool kLayer = requires { typename Class::taper_layer; };
    if constexpr (count > P::kCount || count > (kLayer ? 4 : 6) ||
                  std::is_base_of_v<LazyTag, Class> || (kLayer && !P::kConst) ||
                  (!std::is_const_v<M> && P::kConst)) {
      return false;
    } else {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return requires(Class & m) { m.forward(std::declval<typename P::template At<I>>()...); };
      }
      (std::make_index_sequence<count>{});
    }
  }
}

/// Parameter types of the call operators of `M`: those of forward. What forward takes by value is a
/// reference here if it can be copied, so that the context of an error has the argument: forward
/// moves its parameters.
template <class M> struct CallParameterList {
  template <std::size_t I> using Of =
      typename ParameterList<decltype(&std::remove_const_t<M>::forward)>::template At<I>;
  template <std::size_t I> using At =
      std::conditional_t<std::is_reference_v<Of<I>> || !std::is_copy_constructible_v<Of<I>>, Of<I>,
                         const Of<I>&>;
};
template <class M, std::size_t count>
requires(has_typed_call<M, count>()) using CallParameters = CallParameterList<M>;

/// True if one of these operators accepts arguments of the types A. The operators that deduce the
/// types of their arguments leave such calls to it.
template <class M, class... A> consteval bool is_callable_typed() {
  if constexpr (sizeof...(A) > 0 && has_typed_call<const M, sizeof...(A)>())
    return requires(M & m, A && ... a) { m.forward(static_cast<A&&>(a)...); };
  else
    return false;
}
template <class M, class... A>
concept CallableTyped = is_callable_typed<M, A...>();

/// Returns the signature of forward that the class declares. That of a layer with one or two
/// parameters is by default that of most layers and losses of PyTorch.
template <class M> consteval const char* forward_signature_of() {
  if constexpr (requires { M::forward_signature; }) {
    return M::forward_signature;
  } else if constexpr (NonOverloadedForward<M> && requires { typename M::taper_layer; }) {
    constexpr std::size_t kCount = ParameterList<decltype(&M::forward)>::kCount;
    return kCount == 1 ? "input" : kCount == 2 ? "input, target" : nullptr;
  } else {
    return nullptr;
  }
}

/// Returns true if forward accepts arguments of types A by const reference, so that typed hooks can
/// read them after forward.
template <class M, class R, class... A> constexpr bool can_use_typed_hooks() {
  if constexpr (!NonOverloadedForward<M> || std::is_void_v<R> || std::is_reference_v<R> ||
                !RoundTrippable<R>) {
    return false;
  } else {
    using P = ParameterList<decltype(&M::forward)>;
    if constexpr (P::kCount != sizeof...(A))
      return false;
    else
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return ((Convertible<A> && std::same_as<typename P::template At<I>, const A&>)&&...);
      }
    (std::index_sequence_for<A...>{});
  }
}

/// Calls a module whose hooks are all forward hooks with the types of its forward.
template <class R, class F, class... A>
R call_direct(Module& m, const void* forward_tag, F& forward, const A&... a) {
  try {
    const CallInProgress in_progress(m);
    R result = forward(a...);
    const void* const args[] = {std::addressof(a)..., nullptr};
    if (run_typed_hooks(m, forward_tag, args, &result)) return result;
    // During forward, a hook was registered that requires the type-erased form.
    Values values{to_value(a)...};
    Value kwargs, value = to_value(std::move(result));
    HookCall call{m, values, kwargs, value};
    run_forward_hooks(call);
    return Convert<R>::from(value);
  } catch (Error& error) {
    add_call_context(error, m, a...);
    throw;
  }
}

/// Returns the argument that forward receives after the pre-hooks: converted back from its Value if
/// the type allows it, otherwise the original.
template <class P, class A> decltype(auto) argument(const Value& v, A& original) {
  if constexpr (RoundTrippable<P>)
    return Convert<std::remove_cvref_t<P>>::from(v);
  else
    return static_cast<A&&>(original);
}

[[noreturn]] void throw_argument_count(const Module& module, std::size_t got, std::size_t min,
                                       std::size_t max);
[[noreturn]] void throw_not_erasable(const Module& module, const char* what);

/// Calls a module with hooks of any kind. `Types` are the parameter types of forward.
template <class R, class Types, class F, class... A>
R call_through_values(Module& m, F& forward, A&&... a) {
  ArgumentBuffer buffer;
  Values& args = buffer.values;
  (args.push_back(to_value(std::as_const(a))), ...);
  Value kwargs, result;
  HookCall call{m, args, kwargs, result};
  auto forward_from_values = [&]<std::size_t... I>(std::index_sequence<I...>)->R {
    if (args.size() != sizeof...(A))
      throw_argument_count(m, args.size(), sizeof...(A), sizeof...(A));
    return forward(argument<typename Types::template At<I>, A>(args[I], a)...);
  };
  const auto run = [&](auto body) {
    run_hooked_call(call,
                    {&body, [](void* f, HookCall&) { (*static_cast<decltype(body)*>(f))(); }});
  };
  using Index = std::index_sequence_for<A...>;
  if constexpr (std::is_void_v<R>) {
    run([&] { forward_from_values(Index{}); });
  } else if constexpr (RoundTrippable<R> && !std::is_reference_v<R>) {
    run([&] { result = to_value(forward_from_values(Index{})); });
    return Convert<R>::from(result);
  } else {
    std::optional<std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, R>>
        stored_result;
    run([&] {
      if constexpr (std::is_reference_v<R>)
        stored_result = &forward_from_values(Index{});
      else
        stored_result.emplace(forward_from_values(Index{}));
      result = unconvertible_value();
    });
    if constexpr (std::is_reference_v<R>)
      return static_cast<R>(**stored_result);
    else
      return std::move(*stored_result);
  }
}

/// Calls a module with hooks whose forward maps one tensor to one tensor. This form is not a
/// template, which reduces the code size of the most common case.
Tensor call_hooked_tensor(Module& m, const void* forward_tag,
                          Tensor (*forward)(Module& m, const Tensor& x), const Tensor& x);

/// Calls a module with hooks, in typed form if all hooks permit it.
template <class M, class... A> auto call_hooked(M& m, A&&... a)
    -> decltype(m.forward(static_cast<A&&>(a)...)) {
  using Class = std::remove_const_t<M>;
  using R = decltype(m.forward(static_cast<A&&>(a)...));
  constexpr bool kUseTypedHooks = can_use_typed_hooks<Class, R, std::remove_cvref_t<A>...>();
  Module& mutable_module = mutable_of(m);
  if constexpr (kUseTypedHooks &&
                std::is_same_v<void(R, std::remove_cvref_t<A>...), void(Tensor, Tensor)>) {
    const auto forward = [](Module& self, const Tensor& x) {
      return static_cast<M&>(self).forward(x);
    };
    return call_hooked_tensor(mutable_module, &forward_of<Class>, forward, a...);
  } else {
    auto forward = [&m](auto&&... args) -> R {
      return m.forward(static_cast<decltype(args)&&>(args)...);
    };
    if constexpr (kUseTypedHooks)
      if (has_only_typed_hooks(mutable_module, &forward_of<Class>))
        return call_direct<R>(mutable_module, &forward_of<Class>, forward, a...);
    return call_through_values<R, Parameters<Class, A...>>(mutable_module, forward,
                                                           static_cast<A&&>(a)...);
  }
}

/// Returns the module as its class, for macros whose class is that of the object or derived from
/// it. A function, because a cast in the macro would be useless in the first case (-Wuseless-cast).
template <class Name, class M> Name& as_class(M& m) { return static_cast<Name&>(m); }

/// Calls a module: runs its hooks and forward. Without hooks, the cost over a direct call of
/// forward is one test. `M` may be const.
template <class M, class... A> decltype(auto) call_typed(M& m, A&&... a) {
  static_assert(!std::is_const_v<M> || !std::is_base_of_v<LazyTag, M>,
                "a const lazy module cannot be called, because its first call sets its sizes: a "
                "forward that calls a lazy member cannot be const");
  if constexpr (requires { m.forward(static_cast<A&&>(a)...); }) {
    if (!ModuleAccess::can_call_directly(m) && ModuleAccess::enter_slow_path(m)) [[unlikely]]
      return call_hooked(m, static_cast<A&&>(a)...);
    try {
      return m.forward(static_cast<A&&>(a)...);
    } catch (Error& error) {
      add_call_context(error, m, a...);
      throw;
    }
  } else if constexpr (requires(std::remove_const_t<M> & changed) {
                         changed.forward(static_cast<A&&>(a)...);
                       }) {
    static_assert(
        kNever<M>,
        "a const module cannot be called, because its forward is not const: declare it as "
        "`forward(...) const`");
  } else {
    static_assert(kNever<M>,
                  "this module has no forward, or its forward does not take these arguments");
  }
}

/// The last of these types if its fields are listed by TAPER_OPTIONS, otherwise void.
template <class... A> struct LastOptions { using Type = void; };
template <class A, class... Rest> struct LastOptions<A, Rest...> : LastOptions<Rest...> {};
template <taper::detail::ListedOptions O> struct LastOptions<O> { using Type = O; };

/// Type-erased call of forward: parameter types are deduced from &M::forward, and the number of
/// default arguments from the smallest number of arguments that compiles.
template <class M, class Pointer> struct ErasedForward;
template <class M, class R, class C, class... A> struct ErasedForward<M, R (C::*)(A...)> {
  static constexpr std::size_t kParameters = sizeof...(A);
  template <std::size_t I> using Arg = std::tuple_element_t<I, std::tuple<A...>>;
  /// The last parameter, if it is a struct of options that are listed by TAPER_OPTIONS, otherwise
  /// void. Such options follow the other arguments one by one.
  using Options = typename LastOptions<std::remove_cvref_t<A>...>::Type;
  static constexpr bool kOptions = !std::is_void_v<Options>;
  static constexpr std::size_t kMax = kParameters - (kOptions ? 1 : 0);

  template <std::size_t... I> static constexpr bool callable(std::index_sequence<I...>) {
    return requires(M & m) { m.forward(std::declval<Arg<I>>()...); };
  }
  template <std::size_t N> static constexpr std::size_t min() {
    if constexpr (N == 0)
      return 0;
    else if constexpr (callable(std::make_index_sequence<N - 1>{}))
      return min<N - 1>();
    else
      return N;
  }
  template <std::size_t N> static Value call_with_count(M& m, Values& v) {
    if constexpr (N < kMax)
      if (v.size() != N) return call_with_count<N + 1>(m, v);
    return [&]<std::size_t... I>(std::index_sequence<I...>)->Value {
      if constexpr (std::is_void_v<R>) {
        m.forward(Convert<std::remove_cvref_t<Arg<I>>>::from(v[I])...);
        return {};
      } else {
        return to_value(m.forward(Convert<std::remove_cvref_t<Arg<I>>>::from(v[I])...));
      }
    }
    (std::make_index_sequence<N>{});
  }
  template <std::size_t... I>
  static Value call_with_options(M& m, Values& v, std::index_sequence<I...>) {
    constexpr std::size_t kFields = taper::detail::count_of_names(Options::taper_field_names);
    Options options;
    if (v.size() == kMax + 1 && v[kMax].is_dict()) {
      options = Convert<Options>::from(v[kMax]);
    } else {
      if (v.size() > kMax + kFields) throw_argument_count(m, v.size(), min<kMax>(), kMax + kFields);
      std::size_t at = kMax;
      Options::taper_visit(options, [&](std::string_view, auto& field) {
        if (at < v.size()) set_field(field, v[at++]);
      });
    }
    return to_value(m.forward(Convert<std::remove_cvref_t<Arg<I>>>::from(v[I])..., options));
  }
  static Value call(M& m, Values& v) {
    if constexpr ((RoundTrippable<A> && ...)) {
      if constexpr (kOptions)
        if (v.size() > kMax) return call_with_options(m, v, std::make_index_sequence<kMax>{});
      constexpr std::size_t kMin = min<kMax>();
      if (v.size() < kMin || v.size() > kMax) throw_argument_count(m, v.size(), kMin, kMax);
      return call_with_count<kMin>(m, v);
    } else {
      throw_not_erasable(m, "has a parameter of a type that no Value holds");
    }
  }
};
template <class M, class R, class C, class... A> struct ErasedForward<M, R (C::*)(A...) const>
    : ErasedForward<M, R (C::*)(A...)> {};
template <class M, class R, class C, class... A> struct ErasedForward<M, R (C::*)(A...) noexcept>
    : ErasedForward<M, R (C::*)(A...)> {};
template <class M, class R, class C, class... A>
struct ErasedForward<M, R (C::*)(A...) const noexcept> : ErasedForward<M, R (C::*)(A...)> {};

[[noreturn]] void throw_no_forward(const Module& module);

/// Calls forward with type-erased arguments and returns its result; None for void. Throws TypeError
/// if the arguments do not match, NotImplementedError if the class does not have a forward.
template <class M> Value forward_erased(M& m, Values& args) {
  if constexpr (NonOverloadedForward<M>)
    return ErasedForward<M, decltype(&M::forward)>::call(m, args);
  else if constexpr (requires { m.forward(std::declval<const Tensor&>()); })
    throw_not_erasable(m, "is overloaded or a template");
  else
    throw_no_forward(m);
}

/// Calls a module with one tensor, statically if forward maps a tensor to a tensor, otherwise in
/// type-erased form. Throws TypeError if the result is not a tensor.
template <class M> Tensor call_with_tensor(M& m, const Tensor& x) {
  if constexpr (requires {
                  { m.forward(x) } -> std::same_as<Tensor>;
                })
    return call_typed(m, x);
  else
    return Convert<Tensor>::from(m.call(Values{Value(x)}));
}

}  // namespace nn::detail
}  // namespace taper
