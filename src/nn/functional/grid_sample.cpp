#include "core/check.h"
#include "ops/autocast.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/nn/functional/grid.h"
#include "taper/ops/grid_sampler.h"

namespace taper::nn::functional {
namespace {

void check_operands(const Tensor& input, const Tensor& grid) {
  const Shape &x = input.shape(), &g = grid.shape();
  if (input.dtype() != grid.dtype() || !input.is_floating_point())
    fail<DTypeError>(
        "grid_sample: expected input and grid to have same floating-point dtype, but input has {} "
        "and grid has {}",
        input.dtype(), grid.dtype());
  if ((x.size() != 4 && x.size() != 5) || x.size() != g.size())
    fail<ShapeError>(
        "grid_sample: expected 4D or 5D input and grid with same number of dimensions, but got "
        "input with sizes {} and grid with sizes {}",
        x, g);
  if (x[0] != g[0])
    fail<ShapeError>(
        "grid_sample: expected grid and input to have same batch size, but got input with sizes {} "
        "and grid with sizes {}",
        x, g);
  if (g[g.size() - 1] != static_cast<std::int64_t>(x.size()) - 2)
    fail<ShapeError>(
        "grid_sample: expected grid to have size {} in last dimension, but got grid with sizes {}",
        x.size() - 2, g);
  for (std::size_t d = 2; d < x.size(); ++d)
    if (x[d] < 1)
      fail<ShapeError>(
          "grid_sample: expected input to have non-empty spatial dimensions, but input has sizes "
          "{} with dimension {} being empty",
          x, d);
}

}  // namespace

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleFuncOptions& o) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, grid_sample, input, grid, o);
  if (o.mode != "bilinear" && o.mode != "nearest" && o.mode != "bicubic")
    fail<ValueError>(
        "grid_sample: expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{}'",
        o.mode);
  if (o.padding_mode != "zeros" && o.padding_mode != "border" && o.padding_mode != "reflection")
    fail<ValueError>(
        "grid_sample: expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
        "'{}'",
        o.padding_mode);
  if (!o.align_corners)
    warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
        "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
        "documentation of grid_sample for details.");
  check_operands(input, grid);
  if (size_of(input.dtype()) == 2)  // positions need the precision of float
    return grid_sample(input.to(DType::f32), grid.to(DType::f32), o).to(input.dtype());
  return grid_sampler(input, grid,
                      o.mode == "bilinear"  ? 0
                      : o.mode == "nearest" ? 1
                                            : 2,
                      o.padding_mode == "zeros"    ? 0
                      : o.padding_mode == "border" ? 1
                                                   : 2,
                      o.align_corners.value_or(false));
}

Tensor affine_grid(const Tensor& theta, const Shape& size, const AffineGridFuncOptions& o) {
  if (!theta.is_floating_point())
    fail<DTypeError>("affine_grid: Expected theta to have floating point type, but got {}",
                     theta.dtype());
  if (size.size() != 4 && size.size() != 5)
    fail<NotImplementedError>(
        "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
        "Got size {}.",
        size);
  const std::size_t dims = size.size() - 2;
  const auto n = static_cast<std::int64_t>(dims);
  if (theta.shape() != Shape{size[0], n, n + 1})
    fail<ShapeError>(
        "affine_grid: Expected a batch of {}D affine matrices of shape Nx{}x{} for size {}. Got "
        "{}.",
        dims, dims, dims + 1, size, theta.shape());
  for (const std::int64_t one : size)
    if (one < 1)
      fail<ShapeError>("affine_grid: Expected non-zero, positive output size. Got {}", size);
  static_cast<void>(size.numel());
  if (!o.align_corners)
    warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
        "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
        "documentation of grid_sample for details.");
  const TensorOptions like{.dtype = theta.dtype(), .device = theta.device()};
  Shape points;  // D, H, W
  for (std::size_t d = 2; d < size.size(); ++d) points.push_back(size[d]);
  std::vector<Tensor> coordinates;  // x, y, z and 1
  for (std::size_t d = dims; d-- > 0;) {
    const std::int64_t count = points[d];
    Tensor x = count > 1 ? linspace(-1, 1, count, like) : zeros({count}, like);
    if (!o.align_corners.value_or(false))
      x = x * (static_cast<double>(count - 1) / static_cast<double>(count));
    Shape along = Shape::filled(dims, 1);
    along[d] = count;
    coordinates.push_back(x.reshape(along).expand(points));
  }
  coordinates.push_back(ones(points, like));
  const Tensor base = stack(coordinates, -1).reshape({1, -1, n + 1});
  Shape shape{size[0]};
  for (const std::int64_t one : points) shape.push_back(one);
  shape.push_back(n);
  return base.expand({size[0], base.size(1), n + 1}).bmm(theta.transpose(1, 2)).reshape(shape);
}

}  // namespace taper::nn::functional
