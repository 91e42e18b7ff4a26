// Modules that learn their sizes from their first input.
#pragma once
#include <string_view>
#include <tuple>

#include "taper/core/api.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn {

/// Has a parameter or buffer of this very module no shape yet?
/// PyTorch: LazyModuleMixin.has_uninitialized_params.
bool has_uninitialized_params(const Module& module);

namespace detail {

using Initialize = void (*)(Module& module, const Values& args);
void initialize_at_first_call(Module& module, std::string_view becomes, Initialize initialize);
[[noreturn]] void throw_too_few_arguments(const Module& module, std::size_t got, std::size_t least);

template <class M, class Pointer> struct Initializer;
template <class M, class C, class... A> struct Initializer<M, void (C::*)(A...)> {
  static void run(Module& module, const Values& args) {
    if (args.size() < sizeof...(A)) throw_too_few_arguments(module, args.size(), sizeof...(A));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      static_cast<M&>(module).initialize_parameters(
          Convert<std::remove_cvref_t<A>>::from(args[I])...);
    }
    (std::index_sequence_for<A...>{});
  }
};

}  // namespace detail

/// A second base of modules whose parameters are uninitialized until the first call. Loading a
/// state dict before that gives them the shapes in it. PyTorch: LazyModuleMixin.
///
///   struct Bias : nn::Module, nn::LazyModuleMixin<Bias> {
///     nn::Parameter bias = nn::UninitializedParameter();
///     Bias() { initialize_at_first_call(); }
///     TAPER_MODULE(Bias, bias)
///     void initialize_parameters(const Tensor& x) {
///       if (!has_uninitialized_params()) return;  // loaded
///       bias.materialize({x.size(-1)});
///       nn::init::zeros_(bias);
///     }
///     Tensor forward(const Tensor& x) { return x + bias; }
///   };
///
/// `initialize_parameters` gets the first arguments of the call and must leave nothing
/// uninitialized (RuntimeError). Since it changes the module, a const one is not called, so the
/// forward of a module with lazy members is not const; through `const Module&` a lazy module can be
/// called once it has its sizes.
template <class Self> class LazyModuleMixin : private detail::LazyTag {
 public:
  bool has_uninitialized_params() const {
    return nn::has_uninitialized_params(static_cast<const Self&>(*this));
  }

 protected:
  /// To be called by the constructor. From its first call on the module calls itself `becomes`,
  /// unless that is empty. PyTorch: cls_to_become.
  void initialize_at_first_call(std::string_view becomes = {}) {
    detail::initialize_at_first_call(
        static_cast<Self&>(*this), becomes,
        detail::Initializer<Self, decltype(&Self::initialize_parameters)>::run);
  }
};

}  // namespace nn
}  // namespace taper
