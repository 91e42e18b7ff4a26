// Losses.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/nn/functional/loss.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using CrossEntropyLossOptions = functional::CrossEntropyOptions;
using NLLLossOptions = functional::NllLossOptions;

/// Cross entropy between scores `(C)`, `(N, C)` or `(N, C, d1, ...)` and class indices, or class
/// probabilities of the shape of the scores. PyTorch: torch.nn.CrossEntropyLoss.
class CrossEntropyLoss : public Module {
 public:
  explicit CrossEntropyLoss(const CrossEntropyLossOptions& options = {});

  std::optional<Buffer> weight;  ///< of the classes `(C)`
  std::int64_t ignore_index;
  std::string reduction;
  double label_smoothing;
  TAPER_LAYER(CrossEntropyLoss)

  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// Negative log likelihood of log-probabilities `(C)`, `(N, C)` or `(N, C, d1, ...)` for class
/// indices. PyTorch: torch.nn.NLLLoss.
class NLLLoss : public Module {
 public:
  explicit NLLLoss(const NLLLossOptions& options = {});

  std::optional<Buffer> weight;  ///< of the classes `(C)`
  std::int64_t ignore_index;
  std::string reduction;
  TAPER_LAYER(NLLLoss)

  Tensor forward(const Tensor& input, const Tensor& target) const;
};

struct ReductionOptions {
  std::string reduction = "mean";  ///< or "sum", "none"
};

/// The squared differences of two tensors. PyTorch: torch.nn.MSELoss.
class MSELoss : public Module {
 public:
  explicit MSELoss(const ReductionOptions& options = {}) : reduction(options.reduction) {}
  std::string reduction;
  TAPER_LAYER(MSELoss)
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// The absolute differences of two tensors. PyTorch: torch.nn.L1Loss.
class L1Loss : public Module {
 public:
  explicit L1Loss(const ReductionOptions& options = {}) : reduction(options.reduction) {}
  std::string reduction;
  TAPER_LAYER(L1Loss)
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

struct SmoothL1LossOptions {
  std::string reduction = "mean";  ///< or "sum", "none"
  double beta = 1.0;               ///< where squares turn into absolute differences
};

/// Squared differences below beta, absolute ones above. PyTorch: torch.nn.SmoothL1Loss.
class SmoothL1Loss : public Module {
 public:
  explicit SmoothL1Loss(const SmoothL1LossOptions& options = {})
      : reduction(options.reduction), beta(options.beta) {}
  std::string reduction;
  double beta;
  TAPER_LAYER(SmoothL1Loss)
  /// Throws ValueError for a negative beta.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

}  // namespace nn
}  // namespace taper
