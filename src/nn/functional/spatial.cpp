#include "taper/nn/functional/spatial.h"

namespace taper::nn::functional {

Tensor unfold(const Tensor& input, const Shape& kernel_size, const SlidingBlocks& blocks) {
  return im2col(input, kernel_size, blocks);
}
Tensor fold(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
            const SlidingBlocks& blocks) {
  return col2im(input, output_size, kernel_size, blocks);
}
Tensor upsample(const Tensor& input, const InterpolateOptions& options) {
  return interpolate(input, options);
}
Tensor upsample_nearest(const Tensor& input, InterpolateOptions options) {
  options.mode = "nearest";
  return interpolate(input, options);
}
Tensor upsample_bilinear(const Tensor& input, InterpolateOptions options) {
  options.mode = "bilinear", options.align_corners = true;
  return interpolate(input, options);
}

}  // namespace taper::nn::functional
