#include "taper/nn/functional/margin_loss.h"

#include "core/check.h"
#include "nn/functional/loss_shapes.h"
#include "taper/ops/distance.h"

namespace taper::nn::functional {
namespace {

void check_margin(double margin) {
  if (!(margin > 0)) fail<ValueError>("margin must be greater than 0, got {}", python_repr(margin));
}

}  // namespace

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           FloatArg margin, FloatArg p, FloatArg eps, bool swap,
                           const std::string& reduction) {
  check_margin(margin);
  return taper::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction);
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletMarginWithDistanceOptions& o) {
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
  return reduce_loss((o.margin + to_positive - to_negative).clamp_min(0), o.reduction);
}

}  // namespace taper::nn::functional
