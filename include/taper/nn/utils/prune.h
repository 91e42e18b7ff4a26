// Pruning: parameters with a part set to zero by a mask. PyTorch: torch.nn.utils.prune.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn::utils::prune {

/// Unit that a pruning method selects: single elements, channels, or elements of the whole tensor.
enum class PruningType : std::uint8_t { unstructured, structured, global };

/// Base of the pruning methods. A pruned parameter `weight` is replaced by a parameter
/// `weight_orig` and a buffer `weight_mask`; `weight` is their product, computed before each call.
/// To define a method, derive a class, override pruning_type if necessary, implement compute_mask,
/// and call `prune::apply<YourMethod>(module, name, arguments...)`.
/// PyTorch: torch.nn.utils.prune.BasePruningMethod.
class BasePruningMethod {
 public:
  virtual ~BasePruningMethod() = default;
  /// Returns the unit that the method selects.
  virtual PruningType pruning_type() const { return PruningType::unstructured; }
  /// Returns the channel dimension of a structured method. Throws AttributeError for other methods.
  virtual std::int64_t channel_dim() const;
  /// Returns a mask of zeros and ones of the shape of `t`, which is zero wherever `default_mask`
  /// is. If the tensor was pruned before, an unstructured method receives a vector of the remaining
  /// elements, and a structured method the remaining channels.
  virtual Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const = 0;

  /// Returns `t` times its mask, without a module. `default_mask` defaults to ones.
  /// `importance_scores`, by which elements are selected, default to `t`. Throws AssertionError if
  /// the scores have a different shape.
  Tensor prune(const Tensor& t, const Tensor& default_mask = {},
               const Tensor& importance_scores = {}) const;
  /// Returns the current value of the pruned parameter. Throws AssertionError unless the method was
  /// applied.
  Tensor apply_mask(Module& module) const;

  std::string tensor_name;  ///< set by apply. PyTorch: _tensor_name
};
using PruningMethod = std::shared_ptr<BasePruningMethod>;

/// Sequence of pruning methods that are applied to one tensor.
/// PyTorch: torch.nn.utils.prune.PruningContainer.
class PruningContainer : public BasePruningMethod {
 public:
  PruningContainer() = default;
  /// Creates a container with one method. Throws TypeError if it is null.
  explicit PruningContainer(PruningMethod first);
  /// Appends a method. Throws TypeError if it is null, ValueError if it applies to a different
  /// tensor name.
  void add_pruning_method(PruningMethod method);
  /// Returns the number of methods.
  std::size_t size() const { return methods_.size(); }
  const BasePruningMethod& operator[](std::size_t i) const { return *methods_.at(i); }
  auto begin() const { return methods_.begin(); }
  auto end() const { return methods_.end(); }
  /// Returns the mask of the last method, applied to the part that `mask` has not pruned. Throws
  /// ValueError if the container is empty.
  Tensor compute_mask(const Tensor& t, const Tensor& mask) const override;

 private:
  std::vector<PruningMethod> methods_;
};

/// Does not prune any element. PyTorch: torch.nn.utils.prune.Identity.
class Identity : public BasePruningMethod {
 public:
  Tensor compute_mask(const Tensor&, const Tensor& default_mask) const override {
    return default_mask;
  }
};

/// Base of methods with an amount: the number of elements or channels to prune if it is an integer,
/// otherwise a fraction in [0, 1]. The constructor throws ValueError for an invalid amount.
class AmountMethod : public BasePruningMethod {
 public:
  explicit AmountMethod(const Scalar& amount);
  Scalar amount;

 protected:
  /// Returns the number of units to prune out of `size`. Throws ValueError if the amount exceeds
  /// it.
  std::int64_t count_of(std::int64_t size) const;
};

/// Prunes randomly selected elements. PyTorch: torch.nn.utils.prune.RandomUnstructured.
class RandomUnstructured : public AmountMethod {
 public:
  using AmountMethod::AmountMethod;
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Prunes the elements with the smallest absolute values.
/// PyTorch: torch.nn.utils.prune.L1Unstructured.
class L1Unstructured : public AmountMethod {
 public:
  using AmountMethod::AmountMethod;
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Base of methods that prune channels along `dim`. compute_mask throws ValueError if the tensor
/// has fewer than two dimensions, IndexError if `dim` is out of range.
class StructuredMethod : public AmountMethod {
 public:
  StructuredMethod(const Scalar& pruned, std::int64_t along) : AmountMethod(pruned), dim(along) {}
  PruningType pruning_type() const override { return PruningType::structured; }
  std::int64_t channel_dim() const override { return dim; }
  std::int64_t dim;

 protected:
  /// Returns the number of channels of `t`.
  std::int64_t channels_of(const Tensor& t) const;
};

/// Prunes randomly selected channels. PyTorch: torch.nn.utils.prune.RandomStructured.
class RandomStructured : public StructuredMethod {
 public:
  explicit RandomStructured(const Scalar& pruned, std::int64_t along = -1)
      : StructuredMethod(pruned, along) {}
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Order of a norm: p, also inf, -inf and 0; "fro" is equivalent to 2.
struct NormOrder {
  template <class T>
  requires std::is_arithmetic_v<T> NormOrder(T order) : p(order) {}
  /// Throws ValueError for any string other than "fro".
  NormOrder(const char* word);
  Scalar p;
};

/// Prunes the channels with the smallest n-norms. PyTorch: torch.nn.utils.prune.LnStructured.
class LnStructured : public StructuredMethod {
 public:
  LnStructured(const Scalar& pruned, const NormOrder& order, std::int64_t along = -1)
      : StructuredMethod(pruned, along), n(order) {}
  NormOrder n;
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Prunes by a given mask. PyTorch: torch.nn.utils.prune.CustomFromMask.
class CustomFromMask : public BasePruningMethod {
 public:
  explicit CustomFromMask(Tensor elements) : mask(std::move(elements)) {}
  PruningType pruning_type() const override { return PruningType::global; }
  Tensor mask;
  /// Throws AssertionError if the mask has a different shape.
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Prunes the parameter `name` of `module` with `method`, in addition to previous pruning. Returns
/// the method, or the container of all methods. Throws AttributeError if the name does not exist,
/// TypeError if it is not a parameter, KeyError if `<name>_orig` or `<name>_mask` is in use,
/// AssertionError if the scores have a different shape, and the errors of the method; the module is
/// then unchanged.
/// PyTorch: torch.nn.utils.prune.BasePruningMethod.apply.
PruningMethod apply(Module& module, std::string_view name, PruningMethod method,
                    const Tensor& importance_scores = {});
/// Constructs a pruning method from `arguments` and applies it.
template <class Method, class... A>
PruningMethod apply(Module& module, std::string_view name, A&&... arguments) {
  return apply(module, name,
               PruningMethod(std::make_shared<Method>(std::forward<A>(arguments)...)));
}

/// Registers mask and original without pruning any element; returns the module.
/// PyTorch: torch.nn.utils.prune.identity.
template <class M> M& identity(M& module, std::string_view name) {
  apply<Identity>(module, name);
  return module;
}
/// Prunes `amount` randomly selected elements; returns the module.
/// PyTorch: torch.nn.utils.prune.random_unstructured.
template <class M> M& random_unstructured(M& module, std::string_view name, const Scalar& amount) {
  apply<RandomUnstructured>(module, name, amount);
  return module;
}
/// Prunes the `amount` elements with the smallest absolute scores; returns the module.
/// PyTorch: torch.nn.utils.prune.l1_unstructured.
template <class M> M& l1_unstructured(M& module, std::string_view name, const Scalar& amount,
                                      const Tensor& importance_scores = {}) {
  apply(module, name, std::make_shared<L1Unstructured>(amount), importance_scores);
  return module;
}
/// Prunes `amount` randomly selected channels along `dim`; returns the module.
/// PyTorch: torch.nn.utils.prune.random_structured.
template <class M>
M& random_structured(M& module, std::string_view name, const Scalar& amount, std::int64_t dim) {
  apply<RandomStructured>(module, name, amount, dim);
  return module;
}
/// Prunes the `amount` channels along `dim` with the smallest n-norms; returns the module.
/// PyTorch: torch.nn.utils.prune.ln_structured.
template <class M> M& ln_structured(M& module, std::string_view name, const Scalar& amount,
                                    const NormOrder& n, std::int64_t dim,
                                    const Tensor& importance_scores = {}) {
  apply(module, name, std::make_shared<LnStructured>(amount, n, dim), importance_scores);
  return module;
}
/// Prunes the elements where `mask` is zero; returns the module.
/// PyTorch: torch.nn.utils.prune.custom_from_mask.
template <class M> M& custom_from_mask(M& module, std::string_view name, const Tensor& mask) {
  apply<CustomFromMask>(module, name, mask);
  return module;
}

/// Parameter that is pruned together with others by global_unstructured.
struct Target {
  Module& module;
  std::string name;
  Tensor importance_scores{};  ///< default: the parameter
};
/// Prunes all targets with one method, as if they were one tensor. Throws TypeError unless the
/// method is unstructured. PyTorch: torch.nn.utils.prune.global_unstructured.
void global_unstructured(const std::vector<Target>& targets, const PruningMethod& method);
/// Constructs a pruning method from `arguments` and prunes all targets:
/// `global_unstructured<L1Unstructured>({{net.fc1, "weight"}, {net.fc2, "weight"}}, 0.4)`.
template <class Method, class... A>
void global_unstructured(const std::vector<Target>& targets, A&&... arguments) {
  global_unstructured(targets,
                      PruningMethod(std::make_shared<Method>(std::forward<A>(arguments)...)));
}

/// Makes pruning permanent: `name` becomes the original parameter again, with zeros where the mask
/// is zero. Throws ValueError if the parameter is not pruned. PyTorch: torch.nn.utils.prune.remove.
void remove_pruning(Module& module, std::string_view name);
/// Makes pruning permanent, as remove_pruning; returns the module.
template <class M> M& remove(M& module, std::string_view name) {
  remove_pruning(module, name);
  return module;
}
/// Returns true if a parameter of the module or of a descendant is pruned.
/// PyTorch: torch.nn.utils.prune.is_pruned.
bool is_pruned(const Module& module);

}  // namespace nn::utils::prune
}  // namespace taper
