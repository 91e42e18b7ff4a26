#include "ops/check_defined.h"
#include "taper/core/tensor.h"
#include "taper/ops/conv.h"

namespace taper {

Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias,
                const ConvTbcFuncOptions& options) {
  check_defined("conv_tbc", "input", input);
  check_defined("conv_tbc", "weight", weight);
  check_defined("conv_tbc", "bias", bias);
  if (input.dim() != 3)
    fail<ShapeError>("conv_tbc: Input must have 3 dims: time, batch, in_channel: got {}",
                     input.shape());
  if (weight.dim() != 3)
    fail<ShapeError>(
        "conv_tbc: Weight tensor must have 3 dims: kernel_width, in_channels, out_channels: got {}",
        weight.shape());
  if (bias.dim() != 1 || bias.size(0) != weight.size(2))
    fail<ShapeError>(
        "conv_tbc: Bias size must equal dim 2 in the weight tensor (output channels): got {} for "
        "weight {}",
        bias.shape(), weight.shape());
  if (input.size(2) != weight.size(1))
    fail<ShapeError>(
        "conv_tbc: Input dim 2 (input channels) is not == dim 1 in the weight tensor: got {} and "
        "{}",
        input.shape(), weight.shape());
  return conv1d(input.permute({1, 2, 0}), weight.permute({2, 1, 0}), bias,
                {.padding = Shape{options.pad}})
      .permute({2, 0, 1});
}

}  // namespace taper
