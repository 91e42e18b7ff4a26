// Loss layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/functional/loss.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using CrossEntropyLossOptions = functional::CrossEntropyFuncOptions;
using NLLLossOptions = functional::NLLLossFuncOptions;

/// Computes the cross entropy between scores `(C)`, `(N, C)` or `(N, C, d1, ...)` and a target:
/// class indices, of the shape of the scores without C, or class probabilities, of the shape of the
/// scores. PyTorch: torch.nn.CrossEntropyLoss.
class CrossEntropyLoss : public Layer<CrossEntropyLoss> {
 public:
  explicit CrossEntropyLoss(const CrossEntropyLossOptions& options = {});
  explicit CrossEntropyLoss(detail::NoOptions) : CrossEntropyLoss(CrossEntropyLossOptions{}) {}

  std::optional<Buffer> weight;  ///< class weights `(C)`
  std::int64_t ignore_index;
  std::string reduction;
  double label_smoothing;
  TAPER_LAYER(CrossEntropyLoss)

  /// Returns the loss; a scalar unless `reduction` is "none". Throws the errors of
  /// functional::cross_entropy.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// Computes the negative log likelihood of class indices under log-probabilities `(C)`, `(N, C)` or
/// `(N, C, d1, ...)`. PyTorch: torch.nn.NLLLoss.
class NLLLoss : public Layer<NLLLoss> {
 public:
  explicit NLLLoss(const NLLLossOptions& options = {});
  explicit NLLLoss(detail::NoOptions) : NLLLoss(NLLLossOptions{}) {}

  std::optional<Buffer> weight;  ///< class weights `(C)`
  std::int64_t ignore_index;
  std::string reduction;
  TAPER_LAYER(NLLLoss)

  /// Returns the loss; a scalar unless `reduction` is "none". Throws the errors of
  /// functional::nll_loss.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// Options of MSELoss and L1Loss.
struct MSELossOptions {
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(reduction)
};
using L1LossOptions = MSELossOptions;

/// Computes the squared error (input - target)^2, reduced over all elements.
/// PyTorch: torch.nn.MSELoss.
class MSELoss : public Layer<MSELoss, Configured<MSELossOptions>> {
 public:
  explicit MSELoss(const MSELossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(MSELoss)
  /// Returns the loss; a scalar unless `reduction` is "none".
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// Computes the absolute error |input - target|, reduced over all elements.
/// PyTorch: torch.nn.L1Loss.
class L1Loss : public Layer<L1Loss, Configured<L1LossOptions>> {
 public:
  explicit L1Loss(const L1LossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(L1Loss)
  /// Returns the loss; a scalar unless `reduction` is "none".
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using SmoothL1LossOptions = functional::SmoothL1LossFuncOptions;

/// Computes d^2 / (2 beta) if |d| < beta, otherwise |d| - beta / 2, for d = input - target, reduced
/// over all elements. PyTorch: torch.nn.SmoothL1Loss.
class SmoothL1Loss : public Layer<SmoothL1Loss, Configured<SmoothL1LossOptions>> {
 public:
  explicit SmoothL1Loss(const SmoothL1LossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(SmoothL1Loss)
  /// Returns the loss; a scalar unless `reduction` is "none". Throws ValueError if beta is
  /// negative.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

}  // namespace nn
}  // namespace taper
