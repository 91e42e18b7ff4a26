// Pruning: parameters of which a part is held at zero. PyTorch: torch.nn.utils.prune.
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

/// What a method chooses from: single elements, whole channels, or all at once.
enum class PruningType : std::uint8_t { unstructured, structured, global };

/// Base of ways to choose what is pruned. A pruned parameter `weight` becomes a parameter
/// `weight_orig` and a buffer `weight_mask`; `weight` is their product, computed before each call.
/// Derive, say the type if it is another, and compute a mask; then
/// `prune::apply<YourMethod>(module, name, arguments...)`. PyTorch:
/// torch.nn.utils.prune.BasePruningMethod.
class BasePruningMethod {
 public:
  virtual ~BasePruningMethod() = default;
  virtual PruningType pruning_type() const { return PruningType::unstructured; }
  /// The dimension of the channels of a structured method; throws AttributeError otherwise.
  virtual std::int64_t channel_dim() const;
  /// A mask of zeros and ones of the shape of `t`, zero wherever `default_mask` is. For a tensor
  /// that was pruned before, a method that chooses elements gets those that are left in a row, and
  /// one that chooses channels the channels that are left.
  virtual Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const = 0;

  /// `t` times its mask, without a module. `default_mask` defaults to ones, `importance_scores`, by
  /// which elements are chosen, to `t`. Throws AssertionError for scores of another shape.
  Tensor prune(const Tensor& t, const Tensor& default_mask = {},
               const Tensor& importance_scores = {}) const;
  /// What the pruned parameter is now. Throws AssertionError before apply.
  Tensor apply_mask(Module& module) const;

  std::string tensor_name;  ///< set by apply. PyTorch: _tensor_name
};
using PruningMethod = std::shared_ptr<BasePruningMethod>;

/// Several prunings of one tensor, one after the other. PyTorch:
/// torch.nn.utils.prune.PruningContainer.
class PruningContainer : public BasePruningMethod {
 public:
  PruningContainer() = default;
  explicit PruningContainer(PruningMethod first);
  /// Throws TypeError for null, ValueError for a method of another tensor.
  void add_pruning_method(PruningMethod method);
  std::size_t size() const { return methods_.size(); }
  const BasePruningMethod& operator[](std::size_t i) const { return *methods_.at(i); }
  auto begin() const { return methods_.begin(); }
  auto end() const { return methods_.end(); }
  /// The mask of the last method on what `mask` has left. Throws ValueError for an empty container.
  Tensor compute_mask(const Tensor& t, const Tensor& mask) const override;

 private:
  std::vector<PruningMethod> methods_;
};

/// Prunes nothing. PyTorch: torch.nn.utils.prune.Identity.
class Identity : public BasePruningMethod {
 public:
  Tensor compute_mask(const Tensor&, const Tensor& default_mask) const override {
    return default_mask;
  }
};

/// Methods with an amount: a number of elements or channels if it is an integer, else a part in
/// [0, 1]. Throws ValueError for others.
class AmountMethod : public BasePruningMethod {
 public:
  explicit AmountMethod(const Scalar& amount);
  Scalar amount;

 protected:
  /// The number to prune of so many. Throws ValueError if there are not as many.
  std::int64_t count_of(std::int64_t size) const;
};

/// Prunes elements at random. PyTorch: torch.nn.utils.prune.RandomUnstructured.
class RandomUnstructured : public AmountMethod {
 public:
  using AmountMethod::AmountMethod;
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Prunes the elements of least magnitude. PyTorch: torch.nn.utils.prune.L1Unstructured.
class L1Unstructured : public AmountMethod {
 public:
  using AmountMethod::AmountMethod;
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Methods that prune whole channels along `dim`. Masks throw ValueError for tensors of less than
/// two dimensions, IndexError for a dimension that is not there.
class StructuredMethod : public AmountMethod {
 public:
  StructuredMethod(const Scalar& amount, std::int64_t dim) : AmountMethod(amount), dim(dim) {}
  PruningType pruning_type() const override { return PruningType::structured; }
  std::int64_t channel_dim() const override { return dim; }
  std::int64_t dim;

 protected:
  /// The number of channels of `t`.
  std::int64_t channels_of(const Tensor& t) const;
};

/// Prunes channels at random. PyTorch: torch.nn.utils.prune.RandomStructured.
class RandomStructured : public StructuredMethod {
 public:
  explicit RandomStructured(const Scalar& amount, std::int64_t dim = -1)
      : StructuredMethod(amount, dim) {}
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// The order of a norm: p, also inf, -inf and 0; "fro" is 2.
struct NormOrder {
  template <class T>
  requires std::is_arithmetic_v<T> NormOrder(T p) : p(p) {}
  /// Throws ValueError for other words.
  NormOrder(const char* word);
  Scalar p;
};

/// Prunes the channels of least n-norm. PyTorch: torch.nn.utils.prune.LnStructured.
class LnStructured : public StructuredMethod {
 public:
  LnStructured(const Scalar& amount, const NormOrder& n, std::int64_t dim = -1)
      : StructuredMethod(amount, dim), n(n) {}
  NormOrder n;
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Prunes by a given mask. PyTorch: torch.nn.utils.prune.CustomFromMask.
class CustomFromMask : public BasePruningMethod {
 public:
  explicit CustomFromMask(Tensor mask) : mask(std::move(mask)) {}
  PruningType pruning_type() const override { return PruningType::global; }
  Tensor mask;
  /// Throws AssertionError for a mask of another shape.
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};

/// Prunes the parameter `name` of `module` by `method`, on top of what was pruned before, and gives
/// the method, or the container of all. Throws AttributeError for a name that is not there,
/// TypeError for one that is no parameter, AssertionError for scores of another shape, and whatever
/// the method throws; the module is as it was then. PyTorch: the class method apply.
PruningMethod apply(Module& module, std::string_view name, PruningMethod method,
                    const Tensor& importance_scores = {});
template <class Method, class... A>
PruningMethod apply(Module& module, std::string_view name, A&&... arguments) {
  return apply(module, name,
               PruningMethod(std::make_shared<Method>(std::forward<A>(arguments)...)));
}

/// Registers mask and original without pruning anything. PyTorch: prune.identity.
template <class M> M& identity(M& module, std::string_view name) {
  apply<Identity>(module, name);
  return module;
}
/// PyTorch: prune.random_unstructured.
template <class M> M& random_unstructured(M& module, std::string_view name, const Scalar& amount) {
  apply<RandomUnstructured>(module, name, amount);
  return module;
}
/// PyTorch: prune.l1_unstructured.
template <class M> M& l1_unstructured(M& module, std::string_view name, const Scalar& amount,
                                      const Tensor& importance_scores = {}) {
  apply(module, name, std::make_shared<L1Unstructured>(amount), importance_scores);
  return module;
}
/// PyTorch: prune.random_structured.
template <class M>
M& random_structured(M& module, std::string_view name, const Scalar& amount, std::int64_t dim) {
  apply<RandomStructured>(module, name, amount, dim);
  return module;
}
/// PyTorch: prune.ln_structured.
template <class M> M& ln_structured(M& module, std::string_view name, const Scalar& amount,
                                    const NormOrder& n, std::int64_t dim,
                                    const Tensor& importance_scores = {}) {
  apply(module, name, std::make_shared<LnStructured>(amount, n, dim), importance_scores);
  return module;
}
/// PyTorch: prune.custom_from_mask.
template <class M> M& custom_from_mask(M& module, std::string_view name, const Tensor& mask) {
  apply<CustomFromMask>(module, name, mask);
  return module;
}

/// A parameter to prune together with others.
struct Target {
  Module& module;
  std::string name;
  Tensor importance_scores{};  ///< default: the parameter
};
/// Prunes all targets by one method, as if they were one tensor. Throws TypeError for a method that
/// does not choose single elements. PyTorch: prune.global_unstructured.
void global_unstructured(const std::vector<Target>& targets, const PruningMethod& method);
/// `global_unstructured<L1Unstructured>({{net.fc1, "weight"}, {net.fc2, "weight"}}, 0.4)`.
template <class Method, class... A>
void global_unstructured(const std::vector<Target>& targets, A&&... arguments) {
  global_unstructured(targets,
                      PruningMethod(std::make_shared<Method>(std::forward<A>(arguments)...)));
}

/// Makes pruning permanent: the parameter is the original one again, with zeros where the mask has
/// them. PyTorch: prune.remove. Throws ValueError unless it is pruned.
void remove_pruning(Module& module, std::string_view name);
template <class M> M& remove(M& module, std::string_view name) {
  remove_pruning(module, name);
  return module;
}
/// Is a parameter of the module, or of one below, pruned? PyTorch: prune.is_pruned.
bool is_pruned(const Module& module);

}  // namespace nn::utils::prune
}  // namespace taper
