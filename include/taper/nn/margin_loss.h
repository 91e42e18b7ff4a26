// Losses with a margin.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/nn/functional/margin_loss.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

// The losses are scalars unless `reduction` is "none". Their forward throws the errors of the
// function of nn::functional of the same name.

using HingeEmbeddingLossOptions = functional::HingeEmbeddingLossFuncOptions;

/// Computes input where target is 1 and max(0, margin - input) where target is -1.
/// PyTorch: torch.nn.HingeEmbeddingLoss.
class HingeEmbeddingLoss : public Layer<HingeEmbeddingLoss, Configured<HingeEmbeddingLossOptions>> {
 public:
  explicit HingeEmbeddingLoss(const HingeEmbeddingLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(HingeEmbeddingLoss)
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using MarginRankingLossOptions = functional::MarginRankingLossFuncOptions;

/// Computes max(0, -target * (input1 - input2) + margin) for targets 1 and -1.
/// PyTorch: torch.nn.MarginRankingLoss.
class MarginRankingLoss : public Layer<MarginRankingLoss, Configured<MarginRankingLossOptions>> {
 public:
  explicit MarginRankingLoss(const MarginRankingLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(MarginRankingLoss)
  static constexpr const char* forward_signature = "input1, input2, target";
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target) const;
};

using CosineEmbeddingLossOptions = functional::CosineEmbeddingLossFuncOptions;

/// Computes 1 - cos(input1, input2) where target is 1 and max(0, cos(input1, input2) - margin)
/// where target is -1, for vectors `(N, D)` and targets `(N)`, or `(D)` and `()`.
/// PyTorch: torch.nn.CosineEmbeddingLoss.
class CosineEmbeddingLoss
    : public Layer<CosineEmbeddingLoss, Configured<CosineEmbeddingLossOptions>> {
 public:
  explicit CosineEmbeddingLoss(const CosineEmbeddingLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(CosineEmbeddingLoss)
  static constexpr const char* forward_signature = "input1, input2, target";
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target) const;
};

using MultiLabelMarginLossOptions = functional::MultilabelMarginLossFuncOptions;

/// Computes the mean over the classes of the sum over labels t and other classes i of max(0, 1 -
/// (input[t] - input[i])), for scores `(C)` or `(N, C)`. The labels are the entries of the i64
/// target of the same shape before the first -1. PyTorch: torch.nn.MultiLabelMarginLoss.
class MultiLabelMarginLoss
    : public Layer<MultiLabelMarginLoss, Configured<MultiLabelMarginLossOptions>> {
 public:
  explicit MultiLabelMarginLoss(const MultiLabelMarginLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(MultiLabelMarginLoss)
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using MultiLabelSoftMarginLossOptions = functional::MultilabelSoftMarginLossFuncOptions;

/// Computes the binary cross entropy of logits and targets 0 and 1, averaged over the classes in
/// the last dimension. PyTorch: torch.nn.MultiLabelSoftMarginLoss.
class MultiLabelSoftMarginLoss : public Layer<MultiLabelSoftMarginLoss> {
 public:
  explicit MultiLabelSoftMarginLoss(const MultiLabelSoftMarginLossOptions& options = {});
  explicit MultiLabelSoftMarginLoss(detail::NoOptions)
      : MultiLabelSoftMarginLoss(MultiLabelSoftMarginLossOptions{}) {}
  std::optional<Buffer> weight;  ///< class weights `(C)`
  std::string reduction;
  TAPER_LAYER(MultiLabelSoftMarginLoss)
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using MultiMarginLossOptions = functional::MultiMarginLossFuncOptions;

/// Computes the mean over the classes of weight[t] * max(0, margin - input[t] + input[i])^p, where
/// the term of the target class t is 0, for scores `(C)` or `(N, C)` and i64 targets `()` or `(N)`.
/// PyTorch: torch.nn.MultiMarginLoss.
class MultiMarginLoss : public Layer<MultiMarginLoss> {
 public:
  /// Throws ValueError if p is not 1 or 2 or the weight is not a vector.
  explicit MultiMarginLoss(const MultiMarginLossOptions& options = {});
  explicit MultiMarginLoss(detail::NoOptions) : MultiMarginLoss(MultiMarginLossOptions{}) {}
  std::optional<Buffer> weight;
  std::string reduction;
  std::int64_t p;
  double margin;
  TAPER_LAYER(MultiMarginLoss)
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using TripletMarginLossOptions = functional::TripletMarginLossFuncOptions;

/// Computes max(0, d(anchor, positive) - d(anchor, negative) + margin) with the p-norm distance d
/// of pairwise_distance. PyTorch: torch.nn.TripletMarginLoss.
class TripletMarginLoss : public Layer<TripletMarginLoss, Configured<TripletMarginLossOptions>> {
 public:
  /// Throws ValueError if the margin is not positive.
  explicit TripletMarginLoss(const TripletMarginLossOptions& options = {});
  TAPER_LAYER(TripletMarginLoss)
  static constexpr const char* forward_signature = "anchor, positive, negative";
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) const;
};

/// Options of TripletMarginWithDistanceLoss.
struct TripletMarginWithDistanceLossOptions {
  /// Function of two tensors, such as a lambda; takes precedence over `distance_module`.
  functional::DistanceFunction distance_function{};
  /// Module called with two tensors; default: PairwiseDistance.
  std::shared_ptr<Module> distance_module{};
  FloatArg margin = 1.0;           ///< difference of the distances without loss
  bool swap = false;               ///< uses the smaller of both distances to the negative
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
};

/// Computes max(0, d(anchor, positive) - d(anchor, negative) + margin) with a distance d that is a
/// function or a module. nn::describe and files support modules only.
/// PyTorch: torch.nn.TripletMarginWithDistanceLoss.
class TripletMarginWithDistanceLoss : public Layer<TripletMarginWithDistanceLoss> {
 public:
  /// Throws ValueError if the margin is not positive.
  explicit TripletMarginWithDistanceLoss(const TripletMarginWithDistanceLossOptions& options = {});
  explicit TripletMarginWithDistanceLoss(detail::NoOptions)
      : TripletMarginWithDistanceLoss(TripletMarginWithDistanceLossOptions{}) {}
  std::string reduction;
  std::shared_ptr<Module> distance_function;  ///< null if the distance is `function`
  functional::DistanceFunction function;
  double margin;
  bool swap;
  TAPER_LAYER(TripletMarginWithDistanceLoss)
  static constexpr const char* forward_signature = "anchor, positive, negative";
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) const;
};

}  // namespace nn
}  // namespace taper
