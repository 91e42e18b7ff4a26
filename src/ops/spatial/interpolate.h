#pragma once
#include "ops/op.h"
#include "ops/spatial/resample_taps.h"

namespace taper {

/// Resampling of the last one to three dimensions of an input (N, C, ...), or its adjoint (`Back`).
template <bool Back> struct InterpolateOf {
  Shape output_size{};  ///< spatial size of the output; for the adjoint, shape of the input
  std::string mode = "nearest";
  bool align_corners = false, antialias = false;
  std::optional<double> scales_d{}, scales_h{}, scales_w{};  ///< factors; default: ratio of sizes
  TAPER_ATTRIBUTES(output_size, mode, align_corners, antialias, scales_d, scales_h, scales_w)
  static constexpr OpInfo op{
      .name = Back ? "interpolate_backward" : "interpolate",
      .node = Back ? "InterpolateBackwardBackward0" : "InterpolateBackward0",
      .inputs = Back ? "grad" : "input",
      .dtypes = Back ? DTypeSet::floating : DTypeSet::floating | DTypeSet{DType::u8},
      .has_cpu_kernel = !Back};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<InterpolateOf>& b) const;
};

/// Returns the resampling of dimension `d`, one of the last, from shape `x` to shape `y`.
template <bool Back> resample::Request resample_request(const InterpolateOf<Back>& o, std::size_t d,
                                                        const Shape& x, const Shape& y) {
  const std::optional<double>* const scales[] = {&o.scales_d, &o.scales_h, &o.scales_w};
  return {.filter = *resample::find_filter(o.mode),
          .in = x[d],
          .out = y[d],
          .align_corners = o.align_corners,
          .antialias = o.antialias,
          .scale = *scales[3 - x.size() + d],
          // As in PyTorch, whose 3-D and 5-D inputs are always sampled by the scale.
          .ignores_scale_of_copies = x.size() == 4};
}

using Interpolate = InterpolateOf<false>;
using InterpolateBackward = InterpolateOf<true>;

template <> void Interpolate::infer(ShapeInference& i) const;
template <> void Interpolate::backward(BackwardContext<Interpolate>& b) const;
template <> void InterpolateBackward::infer(ShapeInference& i) const;
template <> void InterpolateBackward::backward(BackwardContext<InterpolateBackward>& b) const;

}  // namespace taper
