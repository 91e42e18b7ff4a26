#include "taper/nn/avg_pooling.h"

#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(AvgPool1d)
TAPER_LAYER_MEMBERS(AvgPool2d)
TAPER_LAYER_MEMBERS(AvgPool3d)

std::string AvgPoolBase::extra_repr() const {
  return "kernel_size=" + sizes_text(kernel_size) + ", stride=" + sizes_text(stride) +
         ", padding=" + sizes_text(padding);
}

std::string AvgPool1d::extra_repr() const {
  return "kernel_size=" + tuple_text(kernel_size) + ", stride=" + tuple_text(stride) +
         ", padding=" + tuple_text(padding);
}

namespace {

/// Returns the options of the functions over two and three dimensions.
template <class L> functional::AvgPool2dFuncOptions avg_options(const L& m) {
  return {.stride = m.stride,
          .padding = m.padding,
          .ceil_mode = m.ceil_mode,
          .count_include_pad = m.count_include_pad,
          .divisor_override = m.divisor_override};
}

}  // namespace

Tensor AvgPool1d::forward(const Tensor& input) const {
  return functional::avg_pool1d(called(input), kernel_size,
                                {.stride = stride,
                                 .padding = padding,
                                 .ceil_mode = ceil_mode,
                                 .count_include_pad = count_include_pad});
}
Tensor AvgPool2d::forward(const Tensor& input) const {
  return functional::avg_pool2d(called(input), kernel_size, avg_options(*this));
}
Tensor AvgPool3d::forward(const Tensor& input) const {
  return functional::avg_pool3d(called(input), kernel_size, avg_options(*this));
}

template <> constexpr bool kStoresTuples<AvgPool1d> = true;
TAPER_OPTIONS_SCHEMA(AvgPool1d, "pooling", kernel_size)
TAPER_OPTIONS_SCHEMA(AvgPool2d, "pooling", kernel_size)
TAPER_OPTIONS_SCHEMA(AvgPool3d, "pooling", kernel_size)

}  // namespace taper::nn
