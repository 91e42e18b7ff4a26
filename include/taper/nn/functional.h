// Functional interface of the layers, also available as namespace F. PyTorch: torch.nn.functional.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/functional/activation.h"
#include "taper/nn/functional/attention.h"
#include "taper/nn/functional/conv.h"
#include "taper/nn/functional/ctc_loss.h"
#include "taper/nn/functional/distance.h"
#include "taper/nn/functional/dropout.h"
#include "taper/nn/functional/elementwise_loss.h"
#include "taper/nn/functional/embedding.h"
#include "taper/nn/functional/gelu.h"
#include "taper/nn/functional/grid.h"
#include "taper/nn/functional/linear.h"
#include "taper/nn/functional/linear_cross_entropy.h"
#include "taper/nn/functional/loss.h"
#include "taper/nn/functional/margin_loss.h"
#include "taper/nn/functional/normalization.h"
#include "taper/nn/functional/pad.h"
#include "taper/nn/functional/pooling.h"
#include "taper/nn/functional/softmax.h"
#include "taper/nn/functional/spatial.h"

namespace TAPER_API taper {
namespace F = nn::functional;
}  // namespace taper
