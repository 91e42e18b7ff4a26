#include "taper/nn/functional/spatial.h"

#include "ops/spatial/functions.h"

namespace taper::nn::functional {

Tensor unfold(const Tensor& input, const Shape& kernel_size, const UnfoldFuncOptions& o) {
  return im2col(input, kernel_size, o.dilation, o.padding, o.stride);
}
Tensor fold(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
            const FoldFuncOptions& o) {
  return col2im(input, output_size, kernel_size, o.dilation, o.padding, o.stride);
}

}  // namespace taper::nn::functional
