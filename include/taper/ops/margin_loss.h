// Losses with a margin. `reduction` is Reduction::Mean, Sum or None; any other value throws
// ValueError.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/reduction.h"

namespace TAPER_API taper {
class Tensor;

/// Computes input where target is 1 and max(0, margin - input) where target is -1.
/// PyTorch: torch.hinge_embedding_loss.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, FloatArg margin = 1.0,
                            IntArg reduction = Reduction::Mean);
/// Computes max(0, -target * (input1 - input2) + margin), where target is 1 if input1 is to be
/// ranked higher, otherwise -1. Throws ShapeError unless the tensors have the same number of
/// dimensions. PyTorch: torch.margin_ranking_loss.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           FloatArg margin = 0.0, IntArg reduction = Reduction::Mean);
/// Computes 1 - cos(input1, input2) where target is 1 and max(0, cos(input1, input2) - margin)
/// where target is -1, for vectors `(N, D)` and targets `(N)`, or `(D)` and `()`. Throws ShapeError
/// for other numbers of dimensions. PyTorch: torch.cosine_embedding_loss.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             FloatArg margin = 0.0, IntArg reduction = Reduction::Mean);
/// Computes max(0, d(anchor, positive) - d(anchor, negative) + margin) for vectors along the last
/// dimension, with the distance d of pairwise_distance. If `swap` is set, the distance to the
/// negative is min(d(anchor, negative), d(positive, negative)) (Balntas et al., 2016). Throws
/// ShapeError unless the tensors have the same number of dimensions.
/// PyTorch: torch.triplet_margin_loss.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           FloatArg margin = 1.0, FloatArg p = 2.0, FloatArg eps = 1e-6,
                           bool swap = false, IntArg reduction = Reduction::Mean);

}  // namespace taper
