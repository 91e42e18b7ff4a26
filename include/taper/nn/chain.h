// Chain: a sequential container whose module types are known at compile time.
#pragma once
#include <tuple>

#include "taper/core/api.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn {
template <class... Modules> class Chain;

namespace detail {

/// Parameter type of the first module of a chain.
template <class M> struct ChainInput { using Type = Tensor; };
template <class M>
requires NonOverloadedForward<M>
struct ChainInput<M> {
  using Type = std::remove_cvref_t<typename ParameterList<decltype(&M::forward)>::template At<0>>;
};

[[noreturn]] void throw_chain_arguments(const Module& module, std::size_t got);
/// Returns the name of module i: "0", "1", ...
std::string_view chain_name(std::size_t i);

/// Base class that defines forward of a chain, which is const if forward of all modules is const.
template <class Self, class Input, bool kConst> struct ChainForward {
  auto forward(const Input& x) const {
    return Self::template through<0>(static_cast<const Self&>(*this), x);
  }
};
template <class Self, class Input> struct ChainForward<Self, Input, false> {
  auto forward(const Input& x) { return Self::template through<0>(static_cast<Self&>(*this), x); }
};
template <class... Modules> using ChainForwardOf =
    ChainForward<Chain<Modules...>,
                 typename ChainInput<std::tuple_element_t<0, std::tuple<Modules...>>>::Type,
                 ((has_const_forward<Modules>() && !std::is_base_of_v<LazyTag, Modules>)&&...)>;

}  // namespace detail

/// Applies its modules in order, as Sequential, with statically dispatched calls. Intermediate
/// results may have any type. The number and the classes of the modules are fixed. Modules are
/// named "0", "1", ..., so that state dicts are interchangeable with those of a Sequential.
///
///   nn::Chain<nn::Linear, nn::ReLU, nn::Linear> net{{784, 100}, {}, {100, 10}};
///   nn::Chain body{nn::Linear(784, 100), nn::ReLU()};
///
/// Use braces: C++ does not specify the evaluation order of arguments in parentheses, so the
/// initial weights for a seed could differ from those of PyTorch.
template <class... Modules> class Chain : public Module, public detail::ChainForwardOf<Modules...> {
  static_assert(sizeof...(Modules) > 0, "nn::Chain requires at least one module");
  static_assert(sizeof...(Modules) <= 256, "nn::Chain supports at most 256 modules");
  static_assert((std::is_base_of_v<Module, Modules> && ...),
                "the template arguments of nn::Chain must be module classes, as in "
                "nn::Chain<nn::Linear, nn::ReLU>");

 public:
  TAPER_DETAIL_PUBLIC
  static constexpr const char* forward_signature = "input";
  explicit Chain(Modules&&... modules) : modules_(std::move(modules)...) {}
  TAPER_DETAIL_CLONED(Chain)
  explicit Chain(Chain& other) requires(std::is_constructible_v<Modules, Modules&>&&...)
      : Chain(other, std::index_sequence_for<Modules...>{}) {}
  TAPER_DETAIL_QUIET_END
  TAPER_DETAIL_MODULE_CLASS_CLONED(Chain)
  TAPER_DETAIL_MODULE_HOOKS(Chain)
  using Input = typename detail::ChainInput<std::tuple_element_t<0, std::tuple<Modules...>>>::Type;

  /// Returns module I, for example `chain.at<0>().weight`.
  template <std::size_t I> auto& at() { return std::get<I>(modules_); }
  template <std::size_t I> const auto& at() const { return std::get<I>(modules_); }
  /// Returns the number of modules.
  static constexpr std::size_t size() { return sizeof...(Modules); }

  template <class... A> decltype(auto) operator()(A&&... a) {
    return detail::call_typed(*this, static_cast<A&&>(a)...);
  }
  template <class... A> decltype(auto) operator()(A&&... a) const {
    return detail::call_typed(*this, static_cast<A&&>(a)...);
  }
  Tensor call_tensor(const Tensor& x) override { return detail::call_with_tensor(*this, x); }
  Value forward_values(Values& args) override { return detail::forward_erased(*this, args); }
  void visit_members(MemberVisitor& visitor) override {
    std::apply(
        [&](Modules&... m) {
          std::size_t i = 0;
          (detail::visit(visitor, detail::chain_name(i++), m), ...);
        },
        modules_);
  }

 private:
  template <class, class, bool> friend struct detail::ChainForward;
  template <std::size_t... I> Chain(Chain& other, std::index_sequence<I...>)
      : Module(other), modules_(std::get<I>(other.modules_)...) {}
  template <std::size_t I, class Self, class X> static auto through(Self& self, const X& x) {
    if constexpr (I + 1 == sizeof...(Modules))
      return self.template at<I>()(x);
    else
      return through<I + 1>(self, self.template at<I>()(x));
  }
  std::tuple<Modules...> modules_;
};
template <class... M> Chain(M&&...) -> Chain<std::remove_cvref_t<M>...>;
// A chain of one chain, as nn::Sequential{make_stage()}; `auto net = make_stage()` is the stage.
template <class... M> Chain(Chain<M...>&&) -> Chain<Chain<M...>>;

}  // namespace nn
}  // namespace taper
