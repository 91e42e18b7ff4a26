// interpolate: checks of the options as in PyTorch.
#include <cmath>

#include "core/check.h"
#include "ops/spatial/functions.h"
#include "taper/nn/functional/spatial.h"

namespace taper::nn::functional {
namespace {

/// Returns `list`, or one number repeated for all dimensions.
template <class List> List for_dims(const List& list, std::size_t dims) {
  List out;
  for (std::size_t d = 0; d < dims; ++d) out.push_back(list[list.size() == 1 ? 0 : d]);
  return out;
}

void check_options(const Tensor& x, const InterpolateFuncOptions& o, std::size_t dims) {
  const bool interpolating = o.mode != "nearest" && o.mode != "area" && o.mode != "nearest-exact";
  if (!interpolating && o.align_corners)
    fail<ValueError>(
        "interpolate: align_corners option can only be set with the interpolating modes: linear | "
        "bilinear | bicubic | trilinear");
  if (o.size && o.scale_factor)
    fail<ValueError>("interpolate: only one of size or scale_factor should be defined");
  if (!o.size && !o.scale_factor)
    fail<ValueError>("interpolate: either size or scale_factor should be defined");
  if (o.size && o.size->size() != 1 && o.size->size() != dims)
    fail<ValueError>(
        "interpolate: Input and output must have the same number of spatial dimensions, but got "
        "input {} and output size {}",
        x.shape(), *o.size);
  if (o.scale_factor && o.scale_factor->size() != 1 && o.scale_factor->size() != dims)
    fail<ValueError>(
        "interpolate: Input and scale_factor must have the same number of spatial dimensions, but "
        "got input {} and {} factors",
        x.shape(), o.scale_factor->size());
  if (o.size && o.recompute_scale_factor.value_or(false))
    fail<ValueError>(
        "interpolate: recompute_scale_factor is not meaningful with an explicit size.");
  if (o.antialias &&
      !((o.mode == "bilinear" || o.mode == "bicubic" || o.mode == "lanczos") && x.dim() == 4))
    fail<ValueError>(
        "interpolate: Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and "
        "requires a 4-D tensor as input");
}

std::int64_t scaled_size(std::int64_t size, double factor) {
  const double scaled = static_cast<double>(size) * factor;
  if (!(std::abs(scaled) < 9e18))
    fail<ValueError>("interpolate: scale_factor is too large: got {} for size {}", factor, size);
  return static_cast<std::int64_t>(scaled);
}

}  // namespace

Tensor interpolate(const Tensor& x, const InterpolateFuncOptions& o) {
  if (!x.defined() || x.dim() < 3 || x.dim() > 5)
    fail<NotImplementedError>(
        "interpolate: Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the "
        "modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {})",
        x.defined() ? x.dim() : 0, o.mode);
  const auto dims = static_cast<std::size_t>(x.dim() - 2);
  check_options(x, o, dims);
  if (o.mode == "area" && o.scale_factor) {
    InterpolateFuncOptions resolved = o;
    resolved.recompute_scale_factor = true;
    if (!o.recompute_scale_factor.value_or(false)) return interpolate(x, resolved);
  }
  const bool align_corners = o.align_corners.value_or(false);
  if (o.size)
    return interpolate_to(x, for_dims(*o.size, dims), o.mode, align_corners, o.antialias, {});
  std::vector<double> factors = for_dims(*o.scale_factor, dims);
  Shape size;
  for (std::size_t d = 0; d < dims; ++d)
    size.push_back(scaled_size(x.size(static_cast<std::int64_t>(d) + 2), factors[d]));
  if (o.recompute_scale_factor.value_or(false)) factors.clear();
  return interpolate_to(x, size, o.mode, align_corners, o.antialias, factors);
}

Tensor upsample(const Tensor& x, const UpsampleFuncOptions& o) {
  return interpolate(x, {.size = o.size,
                         .scale_factor = o.scale_factor,
                         .mode = o.mode,
                         .align_corners = o.align_corners});
}
Tensor upsample_nearest(const Tensor& x, const UpsampleNearestFuncOptions& o) {
  return interpolate(x, {.size = o.size, .scale_factor = o.scale_factor, .mode = "nearest"});
}
Tensor upsample_bilinear(const Tensor& x, const UpsampleBilinearFuncOptions& o) {
  return interpolate(
      x,
      {.size = o.size, .scale_factor = o.scale_factor, .mode = "bilinear", .align_corners = true});
}

}  // namespace taper::nn::functional
