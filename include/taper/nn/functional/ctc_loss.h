// Connectionist temporal classification of taper/ops/ctc_loss.h.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/ops/ctc_loss.h"

namespace TAPER_API taper {
namespace nn::functional {

/// PyTorch: torch.nn.functional.ctc_loss.
using taper::ctc_loss;

}  // namespace nn::functional
}  // namespace taper
