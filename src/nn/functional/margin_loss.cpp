#include "taper/nn/functional/margin_loss.h"

#include "core/check.h"
#include "nn/functional/loss_shapes.h"
#include "ops/loss/functions.h"
#include "ops/loss/reduction.h"
#include "taper/ops/distance.h"
#include "taper/ops/margin_loss.h"

namespace taper::nn::functional {
namespace {

void check_margin(double margin) {
  if (!(margin > 0)) fail<ValueError>("margin must be greater than 0, got {}", python_repr(margin));
}

}  // namespace

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& o) {
  return taper::hinge_embedding_loss(input, target, o.margin,
                                     taper::reduction_of(o.reduction, "hinge_embedding_loss"));
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& o) {
  return taper::margin_ranking_loss(input1, input2, target, o.margin,
                                    taper::reduction_of(o.reduction, "margin_ranking_loss"));
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& o) {
  return taper::cosine_embedding_loss(input1, input2, target, o.margin,
                                      taper::reduction_of(o.reduction, "cosine_embedding_loss"));
}

Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& o) {
  return taper::multilabel_margin_loss(input, target, o.reduction);
}

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& o) {
  return taper::multilabel_soft_margin_loss(input, target, o.weight, o.reduction);
}

Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                         const MultiMarginLossFuncOptions& o) {
  return taper::multi_margin_loss(input, target, o.p, o.margin, o.weight, o.reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& o) {
  check_margin(o.margin);
  return taper::triplet_margin_loss(anchor, positive, negative, o.margin, o.p, o.eps, o.swap,
                                    taper::reduction_of(o.reduction, "triplet_margin_loss"));
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletMarginWithDistanceLossFuncOptions& o) {
  check_reduction(o.reduction);
  check_margin(o.margin);
  if (anchor.dim() != positive.dim() || anchor.dim() != negative.dim())
    fail<ShapeError>(
        "triplet_margin_with_distance_loss: The anchor, positive, and negative tensors are "
        "expected "
        "to have the same number of dimensions, but got: anchor {}D, positive {}D, and negative "
        "{}D "
        "inputs",
        anchor.dim(), positive.dim(), negative.dim());
  const auto distance = [&](const Tensor& x1, const Tensor& x2) {
    return o.distance_function ? o.distance_function(x1, x2) : pairwise_distance(x1, x2);
  };
  const Tensor to_positive = distance(anchor, positive);
  Tensor to_negative = distance(anchor, negative);
  if (o.swap) to_negative = minimum(to_negative, distance(positive, negative));
  return reduce_loss((static_cast<double>(o.margin) + to_positive - to_negative).clamp_min(0),
                     o.reduction);
}

}  // namespace taper::nn::functional
