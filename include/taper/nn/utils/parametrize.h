// Tensors of modules that are functions of other tensors.
//
//   struct Symmetric : nn::Module {
//     TAPER_MODULE(Symmetric)
//     Tensor forward(const Tensor& x) { return x.triu() + x.triu(1).t(); }
//     Tensor right_inverse(const Tensor& x) { return x.triu(); }
//   };
//   parametrize::register_parametrization(net.fc, "weight", Symmetric());
//
// From then on `fc` trains `parametrizations.weight.original`; its member `weight` is computed from
// it before each call. PyTorch: torch.nn.utils.parametrize.
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

/// right_inverse of a parametrization, through Value.
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

/// A module whose forward gives the value of a tensor. A method `right_inverse(const Tensor&)` of
/// its class gives what it has to be fed for a value to come out: a Tensor, or several.
struct Parametrization {
  /// A module to keep, or a shared pointer to one. Of what its static type is, right_inverse is
  /// found.
  template <class P>
  requires nn::detail::ModuleArgument<P> Parametrization(P&& p)
      : right_inverse(
            detail::right_inverse_of<typename detail::Pointee<std::remove_cvref_t<P>>::type>()),
        module(nn::detail::shared_module(std::forward<P>(p))) {}
  Parametrization(std::shared_ptr<Module> m, detail::RightInverse inverse)
      : right_inverse(inverse), module(std::move(m)) {}

  detail::RightInverse right_inverse;  ///< null: the class has none
  std::shared_ptr<Module> module;
};

struct RegisterOptions {
  /// The value may change dtype and shape; nothing is checked.
  bool unsafe = false;
};

/// The parametrizations of one tensor, applied one after the other to `original` (or `original0`,
/// `original1`, ... if right_inverse gives several). PyTorch: ParametrizationList.
class ParametrizationList : public ModuleList {
 public:
  /// Moves a parameter or buffer in: the object itself becomes `original`, with right_inverse of
  /// its value. Throws ValueError, and changes nothing, if that is no tensor of its dtype and
  /// device and not several tensors.
  ParametrizationList(Parametrization first, const Tensor& original, bool is_parameter);
  TAPER_LAYER(ParametrizationList)

  /// The value.
  Tensor forward() const;
  /// Sets the originals so that the value is `value`. Throws RuntimeError for a parametrization
  /// without right_inverse, ValueError if it gives something else than the originals are.
  void right_inverse(const Tensor& value);
  /// One more, behind the others.
  void add(Parametrization next);

  /// Is there one `original`, not a sequence?
  bool is_tensor = true;
  std::int64_t ntensors = 1;
  bool unsafe = false;
  std::vector<Tensor> originals() const;
  /// What child i was registered with.
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

/// Makes the parameter or buffer `name` of `module` the value of a parametrization; one that is
/// parametrized already gets a further one. The parametrization takes the module's mode. Throws
/// ValueError, and changes nothing, for a name that is not there and, unless `unsafe`, for a value
/// of another dtype or shape. PyTorch: register_parametrization.
template <std::derived_from<Module> M>
M& register_parametrization(M& module, std::string_view name, Parametrization parametrization,
                            const RegisterOptions& options = {}) {
  detail::register_with(module, name, std::move(parametrization), options);
  return module;
}

/// Makes the tensor an ordinary one again, of its present value, or with `leave_parametrized` false
/// of the one original. It comes last in the order of names. Throws ValueError for a name that is
/// not parametrized, and for several originals without `leave_parametrized`. PyTorch:
/// remove_parametrizations.
template <std::derived_from<Module> M>
M& remove_parametrizations(M& module, std::string_view name, bool leave_parametrized = true) {
  detail::remove_from(module, name, leave_parametrized);
  return module;
}

/// Registers the parametrizations of `from` with `to` as well, shared, and shares their originals;
/// of one name only unless it is empty. A name that `to` has not is made. PyTorch:
/// transfer_parametrizations_and_params.
template <std::derived_from<Module> M>
M& transfer_parametrizations_and_params(Module& from, M& to, std::string_view name = {}) {
  detail::transfer(from, to, name);
  return to;
}

/// Is this name parametrized; without a name: is any? PyTorch: is_parametrized.
bool is_parametrized(const Module& module);
bool is_parametrized(const Module& module, std::string_view name);

/// The value computed now, which the member then holds. (The member itself holds what the last call
/// computed.) PyTorch: reading `module.weight`. Throws ValueError for a name that is not computed.
Tensor value(const Module& module, std::string_view name);
/// Sets the originals so that the value is `v`. PyTorch: `module.weight = v`.
void assign(Module& module, std::string_view name, const Tensor& v);
/// PyTorch: `module.parametrizations.weight`. Throws ValueError for a name without.
ParametrizationList& parametrizations_of(Module& module, std::string_view name);
const ParametrizationList& parametrizations_of(const Module& module, std::string_view name);
/// The name of the class without `Parametrized`. PyTorch: type_before_parametrizations.
std::string_view type_before_parametrizations(const Module& module);

/// While one lives on a thread, values there are computed once and kept. PyTorch: cached.
///
///   auto guard = parametrize::cached();
class CacheScope {
 public:
  CacheScope();
  ~CacheScope();
  CacheScope(const CacheScope&) = delete;
  CacheScope& operator=(const CacheScope&) = delete;
};
[[nodiscard]] inline CacheScope cached() { return {}; }

}  // namespace nn::utils::parametrize
}  // namespace taper
