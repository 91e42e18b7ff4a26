// Means of regions of one and three dimensions, by those of two dimensions and by resampling.
#include "core/named_call.h"
#include "ops/autocast.h"
#include "ops/check_defined.h"
#include "ops/pool/functions.h"
#include "ops/pool/window.h"
#include "ops/spatial/functions.h"

namespace taper {
namespace {

/// Returns the output size of adaptive average pooling over `dims` dimensions.
Shape area_size(const Tensor& x, const AdaptiveSize& size, std::int64_t dims, const char* op) {
  check_defined(op, "input", x);
  if (x.dim() != dims + 1 && x.dim() != dims + 2)
    fail<ShapeError>("{}: Expected {}D or {}D tensor, but got {}", op, dims + 1, dims + 2,
                     x.shape());
  const auto count = static_cast<std::size_t>(dims);
  Shape sizes = pool::resolve_adaptive_size(size, x.shape(), count);
  if (sizes.size() != 1 && sizes.size() != count)
    fail<ShapeError>("{}: output_size must be {}: got {}", op, dims, sizes);
  return sizes.size() == count ? sizes : Shape::filled(count, sizes[0]);
}

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveSize& output_size) {
  const Shape size = area_size(input, output_size, 1, "adaptive_avg_pool1d");
  return named_call("adaptive_avg_pool1d", [&] {
    return adaptive_avg_pool2d(input.unsqueeze(-2), Shape{1, size[0]}).squeeze({-2});
  });
}
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveSize& output_size) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, adaptive_avg_pool3d, input, output_size);
  // Resampling by area.
  const Shape size = area_size(input, output_size, 3, "adaptive_avg_pool3d");
  const auto resampled = [&](const Tensor& x) {
    return interpolate_to(x, size, "area", false, false, {});
  };
  return named_call("adaptive_avg_pool3d", [&] {
    return input.dim() == 5 ? resampled(input) : resampled(input.unsqueeze(0)).squeeze(0);
  });
}

}  // namespace taper
