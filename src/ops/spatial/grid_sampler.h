#pragma once
#include "ops/op.h"

namespace taper {

/// Attributes of the sampling of images at the points of a grid.
struct GridSampling {
  std::string mode = "bilinear";       ///< "bilinear", "nearest" or "bicubic"
  std::string padding_mode = "zeros";  ///< "zeros", "border" or "reflection"
  bool align_corners = false;
  TAPER_ATTRIBUTES(mode, padding_mode, align_corners)
};

/// Values of an image (N, C, ...) at the points of a grid (N, ..., d), for one to three dimensions.
struct GridSampler : GridSampling {
  static constexpr OpInfo op{.name = "grid_sampler",
                             .node = "GridSamplerBackward0",
                             .inputs = "input grid",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | in(1),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<GridSampler>& b) const;
};

/// Gradients of GridSampler with respect to image and grid. Not differentiable: gradients of
/// gradients are computed by composed_grid_sample.
struct GridSamplerBackward : GridSampling {
  static constexpr OpInfo op{.name = "grid_sampler_backward",
                             .node = "",
                             .inputs = "grad input grid",
                             .outputs = "grad_input grad_grid",
                             .dtypes = DTypeSet::floating,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

/// Computes GridSampler by differentiable ops.
Tensor composed_grid_sample(const GridSampling& o, const Tensor& input, const Tensor& grid);

}  // namespace taper
