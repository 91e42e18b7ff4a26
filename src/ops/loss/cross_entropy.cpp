#include "ops/loss/reduction.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

/// Returns the reduced loss -sum(weight * target * log_softmax(input)) for class probabilities as
/// targets.
Tensor probability_cross_entropy(const Tensor& x, const Tensor& target, OptionalTensorRef weight,
                                 std::int64_t class_dim, const std::string& reduction) {
  if (!target.is_floating_point())
    fail<DTypeError>(
        "cross_entropy: Expected floating point type for target with class probabilities, got {}",
        target.dtype());
  const std::int64_t classes = x.size(class_dim);
  Tensor terms = x.log_softmax(class_dim) * target;
  if (weight) {
    if (!(weight->shape() == Shape{classes}))
      fail<ShapeError>(
          "cross_entropy: weight tensor should be defined either for all {} classes or no classes "
          "but got weight tensor of shape: {}",
          classes, weight->shape());
    Shape weight_shape = Shape::filled(x.shape().size(), 1);
    weight_shape[static_cast<std::size_t>(class_dim)] = classes;
    terms = terms * weight->view(weight_shape);
  }
  const Reduction r = reduction_of(reduction, "cross_entropy");
  if (r == Reduction::none) return terms.sum(class_dim) * -1;
  const double samples = static_cast<double>(x.numel()) / static_cast<double>(classes);
  return terms.sum() * (r == Reduction::mean ? -1 / samples : -1);
}

}  // namespace

Tensor cross_entropy(const Tensor& x, const Tensor& target, OptionalTensorRef weight,
                     IntArg ignore_index, const std::string& reduction) {
  const std::int64_t class_dim = x.dim() == 1 ? 0 : 1;
  if (x.shape() == target.shape())
    return probability_cross_entropy(x, target, weight, class_dim, reduction);
  return nll_loss(x.log_softmax(class_dim), target, weight, ignore_index, reduction);
}

}  // namespace taper
