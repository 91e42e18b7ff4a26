#include "taper/ops/margin_loss.h"

#include "core/check.h"
#include "ops/autocast.h"
#include "ops/loss/reduction.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/distance.h"

namespace taper {

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, FloatArg margin,
                            IntArg reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, hinge_embedding_loss, x, target, margin, reduction);
  const auto r = reduction_of(reduction, "hinge_embedding_loss");
  const Tensor negative = where(target != 1, (static_cast<double>(margin) - x).clamp_min(0), 0);
  return reduce_terms(negative + where(target != -1, x, 0), r);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           FloatArg margin, IntArg reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, margin_ranking_loss, input1, input2, target, margin,
                         reduction);
  const auto r = reduction_of(reduction, "margin_ranking_loss");
  if (input1.dim() != input2.dim() || input1.dim() != target.dim())
    fail<ShapeError>(
        "margin_ranking_loss: All input tensors should have same dimension but got sizes: input1: "
        "{}, input2: {}, target: {}",
        input1.shape(), input2.shape(), target.shape());
  const Tensor terms = -target * (input1 - input2) + static_cast<double>(margin);
  return reduce_terms(terms.clamp_min(0), r);
}

Tensor cosine_embedding_loss(const Tensor& x1, const Tensor& x2, const Tensor& target,
                             FloatArg margin, IntArg reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, cosine_embedding_loss, x1, x2, target, margin,
                         reduction);
  const auto r = reduction_of(reduction, "cosine_embedding_loss");
  if (target.dim() > 1)
    fail<ShapeError>(
        "cosine_embedding_loss: 0D or 1D target tensor expected, multi-target not supported: got "
        "{}",
        target.shape());
  const std::int64_t vector_dim = target.dim();
  if (x1.dim() != vector_dim + 1 || x2.dim() != vector_dim + 1)
    fail<ShapeError>(
        "cosine_embedding_loss: {}D target tensor expects {}D input tensors, but found inputs with "
        "sizes {} and {}",
        vector_dim, vector_dim + 1, x1.shape(), x2.shape());
  const Dims along{vector_dim};
  // As in PyTorch, added to the squared norms.
  constexpr double kEpsilon = 1e-12;
  const Tensor norms = ((x1 * x1).sum(along) + kEpsilon) * ((x2 * x2).sum(along) + kEpsilon);
  const Tensor cosine = (x1 * x2).sum(along) / norms.sqrt();
  const Tensor negative = (cosine - static_cast<double>(margin)).clamp_min(0);
  return reduce_terms(where(target == 1, 1 - cosine, 0) + where(target == -1, negative, 0), r);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           FloatArg margin, FloatArg p, FloatArg eps, bool swap, IntArg reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, triplet_margin_loss, anchor, positive, negative,
                         margin, p, eps, swap, reduction);
  const auto r = reduction_of(reduction, "triplet_margin_loss");
  if (anchor.dim() != positive.dim() || anchor.dim() != negative.dim())
    fail<ShapeError>(
        "triplet_margin_loss: The anchor, positive, and negative tensors are expected to have the "
        "same number of dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
        anchor.dim(), positive.dim(), negative.dim());
  const Tensor to_positive = pairwise_distance(anchor, positive, p, eps);
  Tensor to_negative = pairwise_distance(anchor, negative, p, eps);
  if (swap) to_negative = minimum(to_negative, pairwise_distance(positive, negative, p, eps));
  return reduce_terms((static_cast<double>(margin) + to_positive - to_negative).clamp_min(0), r);
}

}  // namespace taper
