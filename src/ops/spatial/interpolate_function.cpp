// interpolate: checks of the options as in PyTorch, and the choice of the op.
#include <cmath>

#include "core/check.h"
#include "ops/autocast.h"
#include "ops/op.h"
#include "ops/pool/window.h"
#include "ops/spatial/interpolate.h"
#include "taper/core/tensor.h"
#include "taper/ops/pool.h"
#include "taper/ops/spatial.h"

namespace taper {
namespace {

/// Returns `list`, or one number repeated for all dimensions.
template <class List> List for_dims(const List& list, std::size_t dims) {
  List out;
  for (std::size_t d = 0; d < dims; ++d) out.push_back(list[list.size() == 1 ? 0 : d]);
  return out;
}

void check_options(const Tensor& x, const InterpolateOptions& o, std::size_t dims) {
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

Tensor interpolate(const Tensor& x, const InterpolateOptions& o) {
  if (!x.defined() || x.dim() < 3 || x.dim() > 5)
    fail<NotImplementedError>(
        "interpolate: Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the "
        "modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {})",
        x.defined() ? x.dim() : 0, o.mode);
  const auto dims = static_cast<std::size_t>(x.dim() - 2);
  check_options(x, o, dims);
  if (o.mode == "area" && o.scale_factor) {
    InterpolateOptions resolved = o;
    resolved.recompute_scale_factor = true;
    if (!o.recompute_scale_factor.value_or(false)) return interpolate(x, resolved);
  }
  Interpolate op{
      .mode = o.mode, .align_corners = o.align_corners.value_or(false), .antialias = o.antialias};
  if (o.size) {
    op.output_size = for_dims(*o.size, dims);
  } else {
    const std::vector<double> factors = for_dims(*o.scale_factor, dims);
    for (std::size_t d = 0; d < dims; ++d)
      op.output_size.push_back(scaled_size(x.size(static_cast<std::int64_t>(d) + 2), factors[d]));
    if (!o.recompute_scale_factor.value_or(false)) {
      std::optional<double>* const scales[] = {&op.scales_d, &op.scales_h, &op.scales_w};
      for (std::size_t d = 0; d < dims; ++d) *scales[3 - dims + d] = factors[d];
    }
  }
  return run(op, x);
}

namespace {

/// Returns the output size of adaptive average pooling over `dims` dimensions.
Shape area_size(const Tensor& x, const AdaptiveSize& size, std::int64_t dims, const char* op) {
  if (x.dim() != dims + 1 && x.dim() != dims + 2)
    fail<ShapeError>("{}: Expected {}D or {}D tensor, but got {}", op, dims + 1, dims + 2,
                     x.shape());
  const auto count = static_cast<std::size_t>(dims);
  Shape sizes = pool::resolve_adaptive_size(size, x.shape(), count);
  if (sizes.size() != 1 && sizes.size() != count)
    fail<ShapeError>("{}: output_size must be {}: got {}", op, dims, sizes);
  return for_dims(sizes, count);
}

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveSize& output_size) {
  const Shape size = area_size(input, output_size, 1, "adaptive_avg_pool1d");
  return adaptive_avg_pool2d(input.unsqueeze(-2), Shape{1, size[0]}).squeeze({-2});
}
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveSize& output_size) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, adaptive_avg_pool3d, input, output_size);
  // Resampling by area.
  const Interpolate op{area_size(input, output_size, 3, "adaptive_avg_pool3d"), "area"};
  return input.dim() == 5 ? run(op, input) : run(op, input.unsqueeze(0)).squeeze(0);
}

}  // namespace taper
