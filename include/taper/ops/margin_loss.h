// Losses with a margin. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"

namespace TAPER_API taper {
class Tensor;

/// Computes input where target is 1 and max(0, margin - input) where target is -1.
/// PyTorch: torch.hinge_embedding_loss.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, FloatArg margin = 1.0,
                            const std::string& reduction = "mean");
/// Computes max(0, -target * (input1 - input2) + margin), where target is 1 if input1 is to be
/// ranked higher, otherwise -1. Throws ShapeError unless the tensors have the same number of
/// dimensions. PyTorch: torch.margin_ranking_loss.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           FloatArg margin = 0.0, const std::string& reduction = "mean");
/// Computes 1 - cos(input1, input2) where target is 1 and max(0, cos(input1, input2) - margin)
/// where target is -1, for vectors `(N, D)` and targets `(N)`, or `(D)` and `()`. Throws ShapeError
/// for other numbers of dimensions. PyTorch: torch.cosine_embedding_loss.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             FloatArg margin = 0.0, const std::string& reduction = "mean");
/// Computes max(0, d(anchor, positive) - d(anchor, negative) + margin) for vectors along the last
/// dimension, with the distance d of pairwise_distance. If `swap` is set, the distance to the
/// negative is min(d(anchor, negative), d(positive, negative)) (Balntas et al., 2016). Throws
/// ShapeError unless the tensors have the same number of dimensions.
/// PyTorch: torch.triplet_margin_loss.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           FloatArg margin = 1.0, FloatArg p = 2.0, FloatArg eps = 1e-6,
                           bool swap = false, const std::string& reduction = "mean");
/// Computes, for each sample, the sum over labels t and other classes i of max(0, 1 - (input[t] -
/// input[i])), divided by C, for scores `input` of shape `(C)` or `(N, C)`. The labels of a sample
/// are the entries of `target` (i64, of the shape of the input) before the first -1. Throws
/// ShapeError if shapes do not match, DTypeError for a target of another dtype, IndexError for a
/// label out of range. PyTorch: torch.nn.functional.multilabel_margin_loss.
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const std::string& reduction = "mean");
/// Computes -weight * (target * log(sigmoid(input)) + (1 - target) * log(sigmoid(-input))),
/// averaged over the classes in the last dimension. `weight` `(C)` is optional.
/// PyTorch: torch.nn.functional.multilabel_soft_margin_loss.
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   OptionalTensorRef weight = {},
                                   const std::string& reduction = "mean");
/// Computes, for each sample, the sum over the classes i other than the target t of weight[t] *
/// max(0, margin - input[t] + input[i])^p, divided by C, for scores `input` of shape `(C)` or
/// `(N, C)` and i64 targets `()` or `(N)`. `weight` `(C)` is optional. Throws ValueError if p is
/// not 1 or 2, ShapeError if shapes do not match, DTypeError for a target of another dtype,
/// IndexError for a target out of range. PyTorch: torch.nn.functional.multi_margin_loss.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, IntArg p = 1,
                         FloatArg margin = 1.0, OptionalTensorRef weight = {},
                         const std::string& reduction = "mean");

}  // namespace taper
