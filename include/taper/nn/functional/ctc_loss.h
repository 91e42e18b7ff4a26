// Connectionist temporal classification.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of ctc_loss and nn::CTCLoss.
struct CTCLossFuncOptions {
  IntArg blank = 0;  ///< class of the blank label
  /// "mean" (of the losses divided by their target lengths), "sum" or "none".
  std::string reduction = "mean";
  bool zero_infinity = false;  ///< replaces infinite losses and their gradients by 0
  TAPER_OPTIONS(blank, reduction, zero_infinity)
};
/// Computes the negative log probability of sequences of labels; see taper::ctc_loss. Throws
/// ValueError for another reduction. PyTorch: torch.nn.functional.ctc_loss.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& options = {});
/// As ctc_loss above, with lists of lengths.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Shape& input_lengths,
                const Shape& target_lengths, const CTCLossFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
