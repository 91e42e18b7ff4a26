// Parametrizations: tensors of modules that are functions of other tensors.
// PyTorch: torch.nn.utils.parametrize.
//
//   struct Symmetric : nn::Module {
//     TAPER_MODULE(Symmetric)
//     Tensor forward(const Tensor& x) { return x.triu() + x.triu(1).t(); }
//     Tensor right_inverse(const Tensor& x) { return x.triu(); }
//   };
//   parametrize::register_parametrization(net.fc, "weight", Symmetric());
//
// `fc` then trains `parametrizations.weight.original`; its member `weight` is computed from it
// before each call.
#pragma once
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/module_list.h"

namespace TAPER_API taper {
namespace nn::utils::parametrize {
namespace detail {

/// Type-erased right_inverse of a parametrization.
using RightInverse = Value (*)(Module& parametrization, const Value& value);

template <class P> RightInverse right_inverse_of() {
  if constexpr (requires(P & p, const Tensor& x) { p.right_inverse(x); }) {
    return [](Module& m, const Value& v) -> Value {
      using R = std::remove_cvref_t<decltype(std::declval<P&>().right_inverse(v.as_tensor()))>;
      static_assert(Convertible<R>,
                    "right_inverse returns a Tensor, or a pair, tuple or vector of "
                    "them");
      return Convert<R>::to(static_cast<P&>(m).right_inverse(v.as_tensor()));
    };
  } else {
    return nullptr;
  }
}
template <class T> struct Pointee { using type = T; };
template <class T> struct Pointee<std::shared_ptr<T>> { using type = T; };

}  // namespace detail

/// Module whose forward computes the value of a tensor. An optional method
/// `right_inverse(const Tensor&)` of its class returns the inputs that result in a given value: a
/// Tensor, or several.
struct Parametrization {
  /// Creates a parametrization from a module or a shared pointer to one. right_inverse is looked up
  /// in its static type.
  template <class P>
  requires nn::detail::ModuleArgument<P> Parametrization(P&& p)
      : right_inverse(
            detail::right_inverse_of<typename detail::Pointee<std::remove_cvref_t<P>>::type>()),
        module(nn::detail::shared_module(std::forward<P>(p))) {}
  Parametrization(std::shared_ptr<Module> m, detail::RightInverse inverse)
      : right_inverse(inverse), module(std::move(m)) {}

  detail::RightInverse right_inverse;  ///< null if the class does not define it
  std::shared_ptr<Module> module;
};

/// Options of register_parametrization.
struct RegisterOptions {
  /// Permits values of a different dtype and shape, and disables all checks.
  bool unsafe = false;
};

/// Parametrizations of one tensor, applied in order to `original`, or to `original0`, `original1`,
/// ... if right_inverse returns several tensors.
/// PyTorch: torch.nn.utils.parametrize.ParametrizationList.
class ParametrizationList : public Layer<ParametrizationList, ModuleList> {
 public:
  /// Creates the list from a parameter or buffer: the object itself becomes `original`, with
  /// right_inverse of its value. Throws ValueError, without any change, if the result of
  /// right_inverse is neither a tensor of the same dtype and device nor several tensors.
  ParametrizationList(Parametrization first, const Tensor& original, bool is_parameter);
  TAPER_LAYER(ParametrizationList)

  /// Returns the value of the parametrized tensor.
  Tensor forward() const;
  /// Sets the originals so that the value becomes `value`. Throws RuntimeError if a parametrization
  /// does not have a right_inverse, ValueError if its result does not match the originals.
  void right_inverse(const Tensor& value);
  /// Appends a parametrization. Throws ValueError if it is null.
  void add(Parametrization next);

  /// True if the list has a single `original` instead of a sequence.
  bool is_tensor = true;
  /// Number of originals.
  std::int64_t ntensors = 1;
  /// True if checks are disabled.
  bool unsafe = false;
  /// Returns the original tensors.
  std::vector<Tensor> originals() const;
  /// Returns parametrization i as it was registered.
  Parametrization parametrization(std::size_t i) const;

 private:
  Value inverse(const Tensor& value, bool at_registration);
  std::vector<detail::RightInverse> right_inverses_;
};

namespace detail {
void register_with(Module& module, std::string_view name, Parametrization parametrization,
                   const RegisterOptions& options);
void remove_from(Module& module, std::string_view name, bool leave_parametrized);
void transfer(Module& from, Module& to, std::string_view name);
}  // namespace detail

/// Registers a parametrization of the parameter or buffer `name` of `module`, after those that it
/// already has; returns the module. The parametrization is set to the mode of the module. Throws
/// ValueError, without any change, if the name does not exist and, unless `unsafe` is set, if the
/// value has a different dtype or shape.
/// PyTorch: torch.nn.utils.parametrize.register_parametrization.
template <std::derived_from<Module> M>
M& register_parametrization(M& module, std::string_view name, Parametrization parametrization,
                            const RegisterOptions& options = {}) {
  detail::register_with(module, name, std::move(parametrization), options);
  return module;
}

/// Removes all parametrizations of the tensor `name`, which becomes an ordinary parameter or buffer
/// with its current value, or with the value of its original if `leave_parametrized` is false;
/// returns the module. The name is registered after all others. Throws ValueError if the name is
/// not parametrized, or if there are several originals and `leave_parametrized` is false.
/// PyTorch: torch.nn.utils.parametrize.remove_parametrizations.
template <std::derived_from<Module> M>
M& remove_parametrizations(M& module, std::string_view name, bool leave_parametrized = true) {
  detail::remove_from(module, name, leave_parametrized);
  return module;
}

/// Registers the parametrizations of `from` with `to`, which then share them and their originals;
/// returns `to`. If `name` is empty, transfers the parametrizations of all names. Names that `to`
/// does not have are created.
/// PyTorch: torch.nn.utils.parametrize.transfer_parametrizations_and_params.
template <std::derived_from<Module> M>
M& transfer_parametrizations_and_params(Module& from, M& to, std::string_view name = {}) {
  detail::transfer(from, to, name);
  return to;
}

/// Returns true if the tensor `name`, or without a name any tensor, of the module is parametrized.
/// PyTorch: torch.nn.utils.parametrize.is_parametrized.
bool is_parametrized(const Module& module);
bool is_parametrized(const Module& module, std::string_view name);

/// Computes the value of a parametrized tensor, stores it in the member and returns it. The member
/// itself holds the value of the last call. Throws ValueError if the name is not parametrized.
/// PyTorch: reading `module.weight`.
Tensor value(const Module& module, std::string_view name);
/// Sets the originals so that the value becomes `v`. Throws the errors of
/// ParametrizationList::right_inverse. PyTorch: `module.weight = v`.
void assign(Module& module, std::string_view name, const Tensor& v);
/// Returns the parametrizations of a tensor. Throws ValueError if the name is not parametrized.
/// PyTorch: `module.parametrizations.weight`.
ParametrizationList& parametrizations_of(Module& module, std::string_view name);
const ParametrizationList& parametrizations_of(const Module& module, std::string_view name);
/// Returns the class name without the prefix `Parametrized`.
/// PyTorch: torch.nn.utils.parametrize.type_before_parametrizations.
std::string_view type_before_parametrizations(const Module& module);

/// Enables caching on the current thread during its lifetime: each parametrized value is computed
/// once. PyTorch: torch.nn.utils.parametrize.cached.
///
///   auto guard = parametrize::cached();
class CacheScope {
 public:
  CacheScope();
  ~CacheScope();
  CacheScope(const CacheScope&) = delete;
  CacheScope& operator=(const CacheScope&) = delete;
};
/// Returns a guard that enables caching. PyTorch: torch.nn.utils.parametrize.cached.
[[nodiscard]] inline CacheScope cached() { return {}; }

}  // namespace nn::utils::parametrize
}  // namespace taper
