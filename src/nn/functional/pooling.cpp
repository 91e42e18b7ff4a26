#include "taper/nn/functional/pooling.h"

#include "ops/pool/functions.h"

namespace taper::nn::functional {

std::pair<Tensor, Tensor> max_pool2d_with_indices(const Tensor& x, const Shape& kernel_size,
                                                  const MaxPool2dFuncOptions& o) {
  return taper::max_pool2d_with_indices(x, kernel_size, o);
}
std::pair<Tensor, Tensor> max_pool3d_with_indices(const Tensor& x, const Shape& kernel_size,
                                                  const MaxPool3dFuncOptions& o) {
  return taper::max_pool3d_with_indices(x, kernel_size, o);
}

Tensor avg_pool2d(const Tensor& x, const Shape& kernel_size, const AvgPool2dFuncOptions& o) {
  return taper::avg_pool2d(x, kernel_size, o.stride, o.padding, o.ceil_mode, o.count_include_pad,
                           o.divisor_override);
}
Tensor avg_pool3d(const Tensor& x, const Shape& kernel_size, const AvgPool3dFuncOptions& o) {
  return taper::avg_pool3d(x, kernel_size, o.stride, o.padding, o.ceil_mode, o.count_include_pad,
                           o.divisor_override);
}

Tensor adaptive_avg_pool2d(const Tensor& x, const AdaptiveSize& output_size) {
  return taper::adaptive_avg_pool2d(x, output_size);
}
Tensor adaptive_avg_pool3d(const Tensor& x, const AdaptiveSize& output_size) {
  return taper::adaptive_avg_pool3d(x, output_size);
}

#define TAPER_ADAPTIVE_MAX_POOL(name, dims)                                                  \
  Tensor name(const Tensor& x, const AdaptiveSize& size) {                                   \
    return adaptive_max_pool(#name, x, size, dims, false).first;                             \
  }                                                                                          \
  std::pair<Tensor, Tensor> name##_with_indices(const Tensor& x, const AdaptiveSize& size) { \
    return adaptive_max_pool(#name, x, size, dims, true);                                    \
  }
TAPER_ADAPTIVE_MAX_POOL(adaptive_max_pool1d, 1)
TAPER_ADAPTIVE_MAX_POOL(adaptive_max_pool2d, 2)
TAPER_ADAPTIVE_MAX_POOL(adaptive_max_pool3d, 3)

#define TAPER_LP_POOL(name, dims, Options)                                                       \
  Tensor name(const Tensor& x, FloatArg norm_type, const Shape& kernel_size, const Options& o) { \
    return lp_pool(#name, dims, x, norm_type, kernel_size, o.stride, o.ceil_mode);               \
  }
TAPER_LP_POOL(lp_pool1d, 1, LPPool1dFuncOptions)
TAPER_LP_POOL(lp_pool2d, 2, LPPool2dFuncOptions)
TAPER_LP_POOL(lp_pool3d, 3, LPPool3dFuncOptions)

#define TAPER_MAX_UNPOOL(name, dims, Options)                                                    \
  Tensor name(const Tensor& x, const Tensor& indices, const Shape& kernel_size,                  \
              const Options& o) {                                                                \
    return max_unpool(#name, dims, x, indices, kernel_size, o.stride, o.padding, o.output_size); \
  }
TAPER_MAX_UNPOOL(max_unpool1d, 1, MaxUnpool1dFuncOptions)
TAPER_MAX_UNPOOL(max_unpool2d, 2, MaxUnpool2dFuncOptions)
TAPER_MAX_UNPOOL(max_unpool3d, 3, MaxUnpool3dFuncOptions)

#define TAPER_FRACTIONAL_MAX_POOL(name, dims, Options)                                     \
  Tensor name(const Tensor& x, const Shape& kernel_size, const Options& o) {               \
    return name##_with_indices(x, kernel_size, o).first;                                   \
  }                                                                                        \
  std::pair<Tensor, Tensor> name##_with_indices(const Tensor& x, const Shape& kernel_size, \
                                                const Options& o) {                        \
    return fractional_max_pool(#name, dims, x, kernel_size, o.output_size, o.output_ratio, \
                               o._random_samples.value_or_undefined());                    \
  }
TAPER_FRACTIONAL_MAX_POOL(fractional_max_pool2d, 2, FractionalMaxPool2dFuncOptions)
TAPER_FRACTIONAL_MAX_POOL(fractional_max_pool3d, 3, FractionalMaxPool3dFuncOptions)

}  // namespace taper::nn::functional
