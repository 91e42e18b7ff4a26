// LazyModuleMixin: modules that infer their sizes from their first input.
#pragma once
#include <string_view>
#include <tuple>

#include "taper/core/api.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn {

/// Returns true if a parameter or buffer registered in `module` itself is uninitialized.
/// PyTorch: torch.nn.modules.lazy.LazyModuleMixin.has_uninitialized_params.
bool has_uninitialized_params(const Module& module);

namespace detail {

using Initialize = void (*)(Module& module, const Values& args);
void initialize_at_first_call(Module& module, std::string_view becomes, Initialize initialize);
[[noreturn]] void throw_too_few_arguments(const Module& module, std::size_t got, std::size_t min);

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

/// Second base class of modules whose parameters are uninitialized until the first call. Loading a
/// state dict before that materializes them with the shapes of the loaded tensors.
/// PyTorch: torch.nn.modules.lazy.LazyModuleMixin.
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
/// `initialize_parameters` receives the first arguments of the call. The call throws RuntimeError
/// if a parameter or buffer is still uninitialized afterward. Because the first call changes the
/// module, the forward of a module with lazy members must not be const. A lazy module can be called
/// through `const Module&` once it is initialized.
template <class Self> class LazyModuleMixin : private detail::LazyTag {
 public:
  /// Returns true if a parameter or buffer of this module is uninitialized.
  bool has_uninitialized_params() const {
    return nn::has_uninitialized_params(static_cast<const Self&>(*this));
  }

 protected:
  /// Must be called by the constructor. After the first call, the module reports the class name
  /// `becomes`, unless it is empty. PyTorch: torch.nn.modules.lazy.LazyModuleMixin.cls_to_become.
  void initialize_at_first_call(std::string_view becomes = {}) {
    detail::initialize_at_first_call(
        static_cast<Self&>(*this), becomes,
        detail::Initializer<Self, decltype(&Self::initialize_parameters)>::run);
  }
};

}  // namespace nn
}  // namespace taper
