// Losses with a margin. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"
#include "taper/ops/margin_loss.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Margin losses of taper/ops/margin_loss.h. PyTorch: torch.nn.functional.hinge_embedding_loss,
/// torch.nn.functional.margin_ranking_loss, torch.nn.functional.cosine_embedding_loss,
/// torch.nn.functional.multilabel_margin_loss, torch.nn.functional.multilabel_soft_margin_loss,
/// torch.nn.functional.multi_margin_loss.
using taper::cosine_embedding_loss;
using taper::hinge_embedding_loss;
using taper::margin_ranking_loss;
using taper::multi_margin_loss;
using taper::multilabel_margin_loss;
using taper::multilabel_soft_margin_loss;

/// As taper::triplet_margin_loss, but also throws ValueError if the margin is not positive.
/// PyTorch: torch.nn.functional.triplet_margin_loss.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           FloatArg margin = 1.0, FloatArg p = 2.0, FloatArg eps = 1e-6,
                           bool swap = false, const std::string& reduction = "mean");

/// Distance of the vectors of two tensors.
using DistanceFunction = SharedFunction<Tensor(const Tensor&, const Tensor&)>;

/// Options of triplet_margin_with_distance_loss.
struct TripletMarginWithDistanceOptions {
  DistanceFunction distance_function{};  ///< default: pairwise_distance
  double margin = 1.0;                   ///< difference of the distances without loss
  bool swap = false;                     ///< uses the smaller of both distances to the negative
  std::string reduction = "mean";
};
/// Computes max(0, d(anchor, positive) - d(anchor, negative) + margin) with the given distance.
/// Throws ValueError if the margin is not positive, ShapeError unless the tensors have the same
/// number of dimensions. PyTorch: torch.nn.functional.triplet_margin_with_distance_loss.
Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletMarginWithDistanceOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
