// Distances and the bilinear form of taper/ops/distance.h.
#pragma once
#include "taper/core/api.h"
#include "taper/ops/distance.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Cosine similarity, distances and the bilinear form, which PyTorch has under both names.
/// PyTorch: torch.nn.functional.cosine_similarity, torch.nn.functional.pairwise_distance,
/// torch.nn.functional.pdist, torch.nn.functional.bilinear.
using taper::bilinear;
using taper::BilinearFuncOptions;
using taper::cosine_similarity;
using taper::CosineSimilarityFuncOptions;
using taper::pairwise_distance;
using taper::PairwiseDistanceFuncOptions;
using taper::pdist;
using taper::PdistFuncOptions;

}  // namespace nn::functional
}  // namespace taper
