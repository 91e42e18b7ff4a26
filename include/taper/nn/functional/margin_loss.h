// Losses with a margin. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of hinge_embedding_loss and nn::HingeEmbeddingLoss.
struct HingeEmbeddingLossFuncOptions {
  FloatArg margin = 1.0;           ///< minimum of negative samples without loss
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(margin, reduction)
};
/// Computes input where target is 1 and max(0, margin - input) where target is -1.
/// PyTorch: torch.nn.functional.hinge_embedding_loss.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& options = {});

/// Options of margin_ranking_loss and nn::MarginRankingLoss.
struct MarginRankingLossFuncOptions {
  FloatArg margin = 0.0;           ///< difference, or cosine of negative samples, without loss
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(margin, reduction)
};
/// Computes max(0, -target * (input1 - input2) + margin), where target is 1 if input1 is to be
/// ranked higher, otherwise -1. Throws ShapeError unless the tensors have the same number of
/// dimensions. PyTorch: torch.nn.functional.margin_ranking_loss.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options = {});

using CosineEmbeddingLossFuncOptions = MarginRankingLossFuncOptions;
/// Computes 1 - cos(input1, input2) where target is 1 and max(0, cos(input1, input2) - margin)
/// where target is -1, for vectors `(N, D)` and targets `(N)`, or `(D)` and `()`. Throws ShapeError
/// for other numbers of dimensions. PyTorch: torch.nn.functional.cosine_embedding_loss.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options = {});

/// Options of triplet_margin_loss and nn::TripletMarginLoss.
struct TripletMarginLossFuncOptions {
  FloatArg margin = 1.0;           ///< difference of the distances without loss
  FloatArg p = 2.0;                ///< order of the norm
  FloatArg eps = 1e-6;             ///< added to the differences
  bool swap = false;               ///< uses the smaller of both distances to the negative
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(margin, p, eps, swap, reduction)
};
/// As taper::triplet_margin_loss, but also throws ValueError if the margin is not positive.
/// PyTorch: torch.nn.functional.triplet_margin_loss.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options = {});

/// Distance of the vectors of two tensors.
using DistanceFunction = SharedFunction<Tensor(const Tensor&, const Tensor&)>;

/// Options of triplet_margin_with_distance_loss.
struct TripletMarginWithDistanceLossFuncOptions {
  DistanceFunction distance_function{};  ///< default: pairwise_distance
  FloatArg margin = 1.0;                 ///< difference of the distances without loss
  bool swap = false;                     ///< uses the smaller of both distances to the negative
  std::string reduction = "mean";        ///< "mean", "sum" or "none"
};
/// Computes max(0, d(anchor, positive) - d(anchor, negative) + margin) with the given distance.
/// Throws ValueError if the margin is not positive, ShapeError unless the tensors have the same
/// number of dimensions. PyTorch: torch.nn.functional.triplet_margin_with_distance_loss.
Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginWithDistanceLossFuncOptions& options = {});

/// Options of multilabel_margin_loss and nn::MultiLabelMarginLoss.
struct MultilabelMarginLossFuncOptions {
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(reduction)
};
/// Computes, for each sample, the sum over labels t and other classes i of max(0, 1 - (input[t] -
/// input[i])), divided by C, for scores `input` of shape `(C)` or `(N, C)`. The labels of a sample
/// are the entries of `target` (i64, of the shape of the input) before the first -1. Throws
/// ShapeError if shapes do not match, DTypeError for a target of another dtype, IndexError for a
/// label out of range. PyTorch: torch.nn.functional.multilabel_margin_loss.
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& options = {});

/// Options of multilabel_soft_margin_loss and nn::MultiLabelSoftMarginLoss.
struct MultilabelSoftMarginLossFuncOptions {
  OptionalTensor weight{};         ///< class weights `(C)`; default: all 1
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(weight, reduction)
};
/// Computes -weight * (target * log(sigmoid(input)) + (1 - target) * log(sigmoid(-input))),
/// averaged over the classes in the last dimension.
/// PyTorch: torch.nn.functional.multilabel_soft_margin_loss.
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options = {});

/// Options of multi_margin_loss and nn::MultiMarginLoss.
struct MultiMarginLossFuncOptions {
  IntArg p = 1;                    ///< exponent of the terms: 1 or 2
  FloatArg margin = 1.0;           ///< difference to the score of the target without loss
  OptionalTensor weight{};         ///< class weights `(C)`; default: all 1
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(p, margin, weight, reduction)
};
/// Computes, for each sample, the sum over the classes i other than the target t of weight[t] *
/// max(0, margin - input[t] + input[i])^p, divided by C, for scores `input` of shape `(C)` or
/// `(N, C)` and i64 targets `()` or `(N)`. Throws ValueError if p is not 1 or 2, ShapeError if
/// shapes do not match, DTypeError for a target of another dtype, IndexError for a target out of
/// range. PyTorch: torch.nn.functional.multi_margin_loss.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                         const MultiMarginLossFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
