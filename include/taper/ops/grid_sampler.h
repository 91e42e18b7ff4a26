// Sampling of images at the points of a grid, which F::grid_sample checks.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {
class Tensor;

/// Computes F::grid_sample for `input` `(N, C, H, W)` and `grid` `(N, H', W', 2)`, or with one or
/// three spatial dimensions. `interpolation_mode` is 0 (bilinear), 1 (nearest) or 2 (bicubic),
/// `padding_mode` is 0 (zeros), 1 (border) or 2 (reflection). Throws ValueError for other modes,
/// ShapeError or DTypeError if the operands do not match. PyTorch: torch.grid_sampler.
Tensor grid_sampler(const Tensor& input, const Tensor& grid, IntArg interpolation_mode,
                    IntArg padding_mode, bool align_corners);

}  // namespace taper
