// All functions compute a grid of positions, at which the image is sampled.
#include "taper/data/transforms/functional/warp.h"

#include <algorithm>
#include <cmath>

#include "data/transforms/image.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/grid.h"

namespace taper::data::transforms::functional {
namespace {

constexpr double kRadians = 3.14159265358979323846 / 180;

void check_options(const char* op, const Tensor& image, const WarpOptions& o) {
  check_image(op, image);
  if (o.interpolation != "nearest" && o.interpolation != "bilinear")
    fail<ValueError>("{}: interpolation must be 'nearest' or 'bilinear': got '{}'", op,
                     o.interpolation);
  if (o.fill.size() > 1 && static_cast<std::int64_t>(o.fill.size()) != channels_of(image))
    fail<ValueError>("{}: expected one fill value, or one per channel, got {} for {} channels", op,
                     o.fill.size(), channels_of(image));
  if (!o.center.empty() && o.center.size() != 2)
    fail<ValueError>("{}: center must have two numbers (x, y): got {}", op, o.center.size());
}

/// Returns the dtype and device of the grid of an image.
TensorOptions grid_options(const Tensor& image) {
  return {.dtype = image.is_floating_point() ? image.dtype() : DType::f32,
          .device = image.device()};
}

/// Positions of the pixels of a grid: x `(w)` and y `(h, 1)`.
struct Axes {
  Tensor x, y;

  /// Creates h times w positions. `first` and `last` return the bounds for a number of elements.
  template <class First, class Last>
  Axes(const Shape& size, First first, Last last, const TensorOptions& like) {
    const auto positions = [&](std::int64_t n) {
      const auto count = static_cast<double>(n);
      return linspace(first(count), last(count), n, like);
    };
    x = positions(size[1]);
    y = positions(size[0]).unsqueeze(1);
  }
};

/// Returns coefficients[0] x + coefficients[1] y + coefficients[2] at all positions, `(h, w)`. The
/// order of the operations is that of PyTorch's matrix product, because the nearest pixel may
/// depend on the last bit.
Tensor linear_form(const Axes& at, const Tensor& coefficients) {
  return at.x * coefficients[0] + at.y * coefficients[1] + coefficients[2];
}

Tensor to_grid(const Tensor& x, const Tensor& y) { return stack({x, y}, -1).unsqueeze(0); }

/// Returns rows of coefficients (2, 3) for positions in [0, w] and [0, h], scaled to [0, 2].
Tensor scaled_rows(std::vector<double> coefficients, const Tensor& image,
                   const TensorOptions& like) {
  const std::vector<double> half_size{0.5 * static_cast<double>(width_of(image)),
                                      0.5 * static_cast<double>(height_of(image))};
  return tensor(coefficients, like).reshape({2, 3}) / tensor(half_size, like).unsqueeze(1);
}

/// Samples an image at the points of `grid` `(1, h, w, 2)`, which are in [-1, 1].
Tensor sample(const Tensor& image, const Tensor& grid, const WarpOptions& o) {
  const Tensor input = to_batch(image);
  const std::int64_t n = input.size(0), h = grid.size(1), w = grid.size(2);
  if (image.numel() == 0) return from_batch(input.reshape({n, input.size(1), h, w}), image);
  const bool exact = image.dtype() == grid.dtype();
  Tensor x = exact ? input : input.to(grid.dtype());
  // With a fill value, an additional channel of ones becomes the share of each pixel that is inside
  // of the image.
  if (!o.fill.empty())
    x = cat({x, ones({n, 1, x.size(2), x.size(3)}, {.dtype = x.dtype(), .device = x.device()})}, 1);
  x = nn::functional::grid_sample(x, grid.expand({n, h, w, 2}),
                                  {.mode = o.interpolation, .align_corners = false});
  if (!o.fill.empty()) {
    const Tensor inside = x.narrow(1, x.size(1) - 1, 1);
    const Tensor fill =
        tensor(o.fill.values(), {.dtype = x.dtype()}).to(x.device()).reshape({1, -1, 1, 1});
    x = x.narrow(1, 0, x.size(1) - 1);
    x = o.interpolation == "nearest" ? where(inside < 0.5, fill, x) : (x - fill) * inside + fill;
  }
  return from_batch(exact ? x : x.round().to(image.dtype()), image);
}

/// Inverse of an affine map, from positions in the result to positions in the image, both relative
/// to the center of the image: (x, y) -> (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]).
using Matrix = std::array<double, 6>;

Matrix inverse_matrix(const AffineMap& map, const std::array<double, 2>& shear,
                      const std::array<double, 2>& center) {
  const double rotation = map.angle * kRadians, sx = shear[0] * kRadians, sy = shear[1] * kRadians;
  // Rotation and shear without scale; the determinant is 1.
  const double a = std::cos(rotation - sy) / std::cos(sy);
  const double b = -(a * std::tan(sx) + std::sin(rotation));
  const double c = std::sin(rotation - sy) / std::cos(sy);
  const double d = std::cos(rotation) - c * std::tan(sx);
  Matrix m{d / map.scale, -b / map.scale, 0, -c / map.scale, a / map.scale, 0};
  const double x = center[0] + map.translate[0], y = center[1] + map.translate[1];
  m[2] = center[0] - m[0] * x - m[1] * y;
  m[5] = center[1] - m[3] * x - m[4] * y;
  return m;
}

std::array<double, 2> relative_center(const Tensor& image, const Numbers& center) {
  if (center.empty()) return {0, 0};
  return {center[0] - static_cast<double>(width_of(image)) * 0.5,
          center[1] - static_cast<double>(height_of(image)) * 0.5};
}

/// Returns (h, w) of the bounding box of the transformed image.
Shape expanded_size(const Tensor& image, const Matrix& m) {
  const auto half_w = static_cast<float>(width_of(image)) * 0.5f;
  const auto half_h = static_cast<float>(height_of(image)) * 0.5f;
  const auto extent = [&](std::size_t row, float half) {
    float low = 0, high = 0;
    for (int corner = 0; corner < 4; ++corner) {
      const float x = corner & 1 ? half_w : -half_w, y = corner & 2 ? half_h : -half_h;
      const float at = x * static_cast<float>(m[row]) + y * static_cast<float>(m[row + 1]) +
                       static_cast<float>(m[row + 2]);
      low = corner == 0 ? at : std::min(low, at);
      high = corner == 0 ? at : std::max(high, at);
    }
    // Without the digits below 1e-4, rounding errors do not add a pixel.
    const auto truncated = [&](float v) { return std::trunc((v + half) * 1e4f) * 1e-4f; };
    return static_cast<std::int64_t>(std::ceil(truncated(high)) - std::floor(truncated(low)));
  };
  return {extent(3, half_h), extent(0, half_w)};
}

Tensor apply_matrix(const Tensor& image, const Matrix& m, const Shape& size, const WarpOptions& o) {
  const TensorOptions like = grid_options(image);
  const Axes centered(
      size, [](double n) { return (1 - n) * 0.5; }, [](double n) { return (n - 1) * 0.5; }, like);
  const Tensor rows = scaled_rows({m.begin(), m.end()}, image, like);
  return sample(image, to_grid(linear_form(centered, rows[0]), linear_form(centered, rows[1])), o);
}

Shape size_of_image(const Tensor& image) { return {height_of(image), width_of(image)}; }

}  // namespace

Tensor affine(const Tensor& image, const AffineMap& map, const WarpOptions& o) {
  check_options("affine", image, o);
  if (!(map.scale > 0)) fail<ValueError>("affine: scale must be positive: got {}", map.scale);
  const Numbers& shear = map.shear;
  if (shear.size() != 1 && shear.size() != 2)
    fail<ValueError>("affine: shear must have one or two numbers: got {}", shear.size());
  const Matrix m =
      inverse_matrix(map, {shear[0], shear[shear.size() - 1]}, relative_center(image, o.center));
  return apply_matrix(image, m, size_of_image(image), o);
}

Tensor rotate(const Tensor& image, double angle, const RotateOptions& o) {
  const WarpOptions options{o.interpolation, o.fill, o.center};
  check_options("rotate", image, options);
  if (!std::isfinite(angle)) fail<ValueError>("rotate: expected a finite angle, got {}", angle);
  angle = std::fmod(angle, 360);
  if (angle < 0) angle += 360;
  if (o.center.empty()) {
    if (angle == 0) return image.clone();
    const bool keeps_size = o.expand || height_of(image) == width_of(image);
    if (angle == 180 || (keeps_size && (angle == 90 || angle == 270)))
      return image.rot90(static_cast<std::int64_t>(angle / 90), {-2, -1});
  }
  const Matrix m = inverse_matrix({.angle = -angle}, {0, 0}, relative_center(image, o.center));
  return apply_matrix(image, m, o.expand ? expanded_size(image, m) : size_of_image(image), options);
}

Tensor perspective(const Tensor& image, const std::vector<double>& c, const WarpOptions& o) {
  check_options("perspective", image, o);
  if (c.size() != 8) fail<ValueError>("perspective: expected 8 coefficients, got {}", c.size());
  const TensorOptions like = grid_options(image);
  const Axes centers(
      size_of_image(image), [](double) { return 0.5; }, [](double n) { return n - 0.5; }, like);
  const Tensor rows = scaled_rows({c.begin(), c.begin() + 6}, image, like);
  const Tensor divisor = linear_form(centers, tensor(std::vector<double>{c[6], c[7], 1}, like));
  return sample(image,
                to_grid(linear_form(centers, rows[0]) / divisor - 1,
                        linear_form(centers, rows[1]) / divisor - 1),
                o);
}

Tensor perspective(const Tensor& image, const Corners& startpoints, const Corners& endpoints,
                   const WarpOptions& options) {
  return perspective(image, perspective_coefficients(startpoints, endpoints), options);
}

std::vector<double> perspective_coefficients(const Corners& startpoints, const Corners& endpoints) {
  if (startpoints.size() != 4 || endpoints.size() != 4)
    fail<ValueError>("perspective: expected four corners, got {} startpoints and {} endpoints",
                     startpoints.size(), endpoints.size());
  std::vector<double> rows, values;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto x = static_cast<double>(endpoints[i][0]), y = static_cast<double>(endpoints[i][1]);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto to = static_cast<double>(startpoints[i][axis]);
      const double first = axis == 0 ? 1 : 0, second = 1 - first;
      for (const double v :
           {x * first, y * first, first, x * second, y * second, second, -to * x, -to * y})
        rows.push_back(v);
      values.push_back(to);
    }
  }
  const Tensor solution =
      linalg::solve(tensor(rows).reshape({8, 8}), tensor(values)).to(DType::f32).to(DType::f64);
  return {solution.const_data_ptr<double>(), solution.const_data_ptr<double>() + 8};
}

Tensor elastic(const Tensor& image, const Tensor& displacement, const WarpOptions& o) {
  check_options("elastic", image, o);
  const Shape expected{1, height_of(image), width_of(image), 2};
  if (displacement.shape() != expected)
    fail<ShapeError>("elastic: expected a displacement of shape {}, got {}", expected,
                     displacement.shape());
  if (image.dtype() == DType::f16)
    return elastic(image.to(DType::f32), displacement, o).to(DType::f16);
  const Shape size = size_of_image(image);
  const Axes centers(
      size, [](double n) { return (1 - n) / n; }, [](double n) { return (n - 1) / n; },
      grid_options(image));
  const Tensor grid = to_grid(centers.x.expand(size), centers.y.expand(size));
  return sample(image, grid + displacement.to(grid), o);
}

}  // namespace taper::data::transforms::functional
