#include "ops/autocast.h"
#include "ops/loss/cross_entropy_loss.h"
#include "ops/loss/functions.h"
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
  const auto r = reduction_of(reduction, "cross_entropy");
  if (r == Reduction::None) return terms.sum(class_dim) * -1;
  const double samples = static_cast<double>(x.numel()) / static_cast<double>(classes);
  return terms.sum() * (r == Reduction::Mean ? -1 / samples : -1);
}

/// Returns true if the op of class indices accepts the arguments. Others, also invalid ones, are
/// left to log_softmax and nll_loss.
bool is_fusible(const Tensor& x, const Tensor& target, OptionalTensorRef weight) {
  if (!x.device().is_cpu() || !target.device().is_cpu() || !x.is_floating_point()) return false;
  if (target.dtype() != DType::i64 && target.dtype() != DType::u8) return false;
  if (x.dim() < 1 || x.dim() > 2 || target.dim() + 1 != x.dim()) return false;
  if (target.dim() == 1 && target.size(0) != x.size(0)) return false;
  return !weight || (weight->device().is_cpu() && weight->dtype() == x.dtype() &&
                     weight->shape() == Shape{x.size(-1)});
}

}  // namespace

Tensor cross_entropy(const Tensor& x, const Tensor& target, OptionalTensorRef weight,
                     std::int64_t ignore_index, const std::string& reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, cross_entropy, x, target, weight, ignore_index,
                         reduction);
  const std::int64_t class_dim = x.dim() == 1 ? 0 : 1;
  if (x.shape() == target.shape())
    return probability_cross_entropy(x, target, weight, class_dim, reduction);
  if (is_fusible(x, target, weight))
    return class_cross_entropy({reduction, ignore_index}, x, target, weight);
  return nll_loss(x.log_softmax(class_dim), target, weight, ignore_index, reduction);
}

}  // namespace taper
