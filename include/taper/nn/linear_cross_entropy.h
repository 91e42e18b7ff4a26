// LinearCrossEntropyLoss: a linear layer and the cross entropy of its output.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/nn/functional/linear_cross_entropy.h"
#include "taper/nn/linear.h"

namespace TAPER_API taper {
namespace nn {

/// Options of LinearCrossEntropyLoss.
struct LinearCrossEntropyLossOptions {
  Shape out_features{};                  ///< dimensions (d1, ...) of a loss with several positions
  bool bias = false;                     ///< the linear layer has a bias
  std::string reduction = "mean";        ///< "mean", "sum" or "none"
  OptionalTensor weight{};               ///< class weights `(C)`; default: all 1
  std::optional<IntArg> ignore_index{};  ///< class that does not contribute; default: -100
  FloatArg label_smoothing = 0;          ///< as for CrossEntropyLoss
  TAPER_FACTORY_OPTIONS
};

/// Computes the cross entropy between a linear projection of the input `(in_features)` or `(N,
/// in_features)` to scores `(C)`, `(N, C)` or `(N, C, d1, ...)` and a target, as CrossEntropyLoss.
/// PyTorch: torch.nn.LinearCrossEntropyLoss, whose options for chunks are not supported.
///
/// The weight of `linear` is `(num_classes * d1 * ..., in_features)`, with the initial values of
/// Linear.
class LinearCrossEntropyLoss : public Layer<LinearCrossEntropyLoss> {
 public:
  /// Throws ShapeError if the weight is not `(num_classes)`, ValueError if label_smoothing is not
  /// in [0, 1].
  LinearCrossEntropyLoss(IntArg in_features, IntArg num_classes,
                         const LinearCrossEntropyLossOptions& options = {});

  std::optional<Buffer> weight;
  std::string reduction;
  std::int64_t num_classes;
  Shape out_features;
  std::optional<std::int64_t> ignore_index;
  double label_smoothing;
  Linear linear;
  TAPER_LAYER(LinearCrossEntropyLoss)

  /// Returns the loss; a scalar unless `reduction` is "none". Throws the errors of
  /// functional::linear_cross_entropy.
  Tensor forward(const Tensor& input, const Tensor& target) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
