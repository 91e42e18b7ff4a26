// Normalisations, as declared with the operations.
#pragma once
#include "taper/ops/norm.h"

namespace taper::nn::functional {

/// PyTorch: F.batch_norm.
using taper::batch_norm;

}  // namespace taper::nn::functional
