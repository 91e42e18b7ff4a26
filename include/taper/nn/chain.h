// Sequential with types known to the compiler.
#pragma once
#include <tuple>

#include "taper/nn/module.h"

namespace taper::nn {

namespace detail {

/// What the first module of a chain takes.
template <class M> struct ChainInput { using Type = Tensor; };
template <class M>
requires PlainForward<M>
struct ChainInput<M> {
  using Type = std::remove_cvref_t<typename ParameterList<decltype(&M::forward)>::template At<0>>;
};

[[noreturn]] void throw_chain_arguments(const Module& module, std::size_t got);
std::string_view chain_name(std::size_t i);

}  // namespace detail

/// Feeds its input through its modules in order, like Sequential, but the compiler sees every call:
/// types between modules may be any, and nothing is looked up. The number and classes of the
/// modules are fixed. Names are "0", "1", ..., so state dicts are those of a Sequential.
///
///   nn::Chain<nn::Linear, nn::ReLU, nn::Linear> net{{784, 100}, {}, {100, 10}};
///   nn::Chain body{nn::Linear(784, 100), nn::ReLU()};
///
/// Write braces: in parentheses C++ makes the modules in any order, and a seed gives them other
/// weights than in Python.
template <class... Modules> class Chain : public Module {
  static_assert(sizeof...(Modules) > 0, "nn::Chain is of one module at least");
  static_assert((std::is_base_of_v<Module, Modules> && ...),
                "nn::Chain is of modules by value: nn::Chain<nn::Linear, nn::ReLU>");

 public:
  explicit Chain(Modules&&... modules) : modules_(std::move(modules)...) {}
  TAPER_DETAIL_MODULE_CLASS(Chain)
  TAPER_DETAIL_MODULE_HOOKS(Chain)
  using Input = typename detail::ChainInput<std::tuple_element_t<0, std::tuple<Modules...>>>::Type;

  /// Module I: `chain.at<0>().weight`.
  template <std::size_t I> auto& at() { return std::get<I>(modules_); }
  static constexpr std::size_t size() { return sizeof...(Modules); }

  auto forward(const Input& x) { return through<0>(x); }

  template <class... A> decltype(auto) operator()(A&&... a) {
    return detail::call_typed(*this, static_cast<A&&>(a)...);
  }
  Tensor call_tensor(const Tensor& x) override { return detail::call_with_tensor(*this, x); }
  Value forward_values(Values& args) override { return detail::forward_erased(*this, args); }
  void walk_members(Walker& walker) override {
    std::apply(
        [&](Modules&... m) {
          std::size_t i = 0;
          (detail::visit(walker, detail::chain_name(i++), m), ...);
        },
        modules_);
  }

 private:
  template <std::size_t I, class X> auto through(const X& x) {
    if constexpr (I + 1 == sizeof...(Modules))
      return at<I>()(x);
    else
      return through<I + 1>(at<I>()(x));
  }
  std::tuple<Modules...> modules_;
};
template <class... M> Chain(M&&...) -> Chain<std::remove_cvref_t<M>...>;

}  // namespace taper::nn
