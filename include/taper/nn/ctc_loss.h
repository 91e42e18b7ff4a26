// CTCLoss: connectionist temporal classification.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/api.h"
#include "taper/nn/functional/ctc_loss.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using CTCLossOptions = functional::CTCLossFuncOptions;

/// Computes the negative log probability of sequences of labels, summed over their alignments with
/// longer sequences of log-probabilities; see taper::ctc_loss. PyTorch: torch.nn.CTCLoss.
class CTCLoss : public Layer<CTCLoss, Configured<CTCLossOptions>> {
 public:
  explicit CTCLoss(const CTCLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(CTCLoss)
  static constexpr const char* forward_signature =
      "log_probs, targets, input_lengths, target_lengths";
  /// Returns the loss; a scalar unless `reduction` is "none". A call with values also accepts lists
  /// of lengths. Throws the errors of taper::ctc_loss.
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                 const Tensor& target_lengths) const;
};

}  // namespace nn
}  // namespace taper
