#pragma once
#include "ops/pool/window.h"

namespace taper {

/// Average pooling over windows. `Back` selects the adjoint; each direction is the gradient of the
/// other.
template <bool Back> struct AvgPool2dOf {
  Shape kernel_size{1}, stride{1}, padding{0};
  bool ceil_mode = false, count_include_pad = true;
  std::optional<std::int64_t> divisor_override{};
  Shape input_size{};  ///< adjoint only: shape of the input of the pooling
  TAPER_ATTRIBUTES(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override,
                   input_size)
  static constexpr OpInfo op{.name = Back ? "avg_pool2d_backward" : "avg_pool2d",
                             .node = Back ? "AvgPool2DBackwardBackward0" : "AvgPool2DBackward0",
                             .inputs = Back ? "grad" : "input",
                             .dtypes = DTypeSet::floating | DTypeSet{DType::i64},
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<AvgPool2dOf>& b) const;
  pool::Window window() const { return {kernel_size, stride, padding, {1}, ceil_mode}; }
};

using AvgPool2d = AvgPool2dOf<false>;
using AvgPool2dBackward = AvgPool2dOf<true>;

/// Average pooling over regions that divide the input evenly, or its adjoint (`Back`).
template <bool Back> struct AdaptiveAvgPool2dOf {
  Shape output_size{1};  ///< size of the output; for the adjoint, shape of the input of the pooling
  TAPER_ATTRIBUTES(output_size)
  static constexpr OpInfo op{
      .name = Back ? "adaptive_avg_pool2d_backward" : "adaptive_avg_pool2d",
      .node = Back ? "AdaptiveAvgPool2DBackwardBackward0" : "AdaptiveAvgPool2DBackward0",
      .inputs = Back ? "grad" : "input",
      .dtypes = DTypeSet::floating,
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<AdaptiveAvgPool2dOf>& b) const;
};

using AdaptiveAvgPool2d = AdaptiveAvgPool2dOf<false>;
using AdaptiveAvgPool2dBackward = AdaptiveAvgPool2dOf<true>;

template <> void AvgPool2d::infer(ShapeInference& i) const;
template <> void AvgPool2d::backward(BackwardContext<AvgPool2d>& b) const;
template <> void AvgPool2dBackward::infer(ShapeInference& i) const;
template <> void AvgPool2dBackward::backward(BackwardContext<AvgPool2dBackward>& b) const;
template <> void AdaptiveAvgPool2d::infer(ShapeInference& i) const;
template <> void AdaptiveAvgPool2d::backward(BackwardContext<AdaptiveAvgPool2d>& b) const;
template <> void AdaptiveAvgPool2dBackward::infer(ShapeInference& i) const;
template <>
void AdaptiveAvgPool2dBackward::backward(BackwardContext<AdaptiveAvgPool2dBackward>& b) const;

}  // namespace taper
