// Sampling of images at the points of a grid by differentiable ops, for gradients of gradients.
#include "ops/spatial/grid_points.h"
#include "ops/spatial/grid_sampler.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using grid::Padding;

/// Maps [-1, 1] to the positions of the pixels of a dimension.
Tensor to_pixels(const Tensor& x, std::int64_t size, bool align_corners) {
  const auto n = static_cast<double>(size);
  return align_corners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
}

/// Limits positions to the pixels. The gradient at the first and last pixel is 0, as in PyTorch.
Tensor clip(const Tensor& x, std::int64_t size) {
  const auto last = static_cast<double>(size - 1);
  const Tensor inside = (x > 0).logical_and(x < last);
  return where(inside, x, x.detach().clamp(0, last));
}

/// Reflects positions at the borders of the image.
Tensor reflect(const Tensor& x, std::int64_t size, bool align_corners) {
  if (align_corners && size == 1) return x * 0;
  const double min = align_corners ? 0 : -0.5,
               span = static_cast<double>(align_corners ? size - 1 : size);
  const Tensor moved = x - min, distance = where(moved < 0, -moved, moved);
  const Tensor flips = (distance.detach() / span).floor();
  const Tensor rest = distance - flips * span;
  return where(flips.remainder(2) == 0, rest, span - rest) + min;
}

Tensor pad_positions(const Tensor& x, std::int64_t size, Padding padding, bool align_corners) {
  if (padding == Padding::zeros) return x;
  return clip(padding == Padding::reflection ? reflect(x, size, align_corners) : x, size);
}

/// Pixels of all images by integer positions: 0 outside of the image.
struct Pixels {
  Tensor planes;  ///< (N, C, positions)
  Shape sizes;    ///< of the spatial dimensions

  explicit Pixels(const Tensor& input) : planes(input.flatten(2)) {
    for (std::size_t d = 2; d < input.shape().size(); ++d) sizes.push_back(input.shape()[d]);
  }
  /// `at` are positions (N, P) of each dimension, as floating-point numbers.
  Tensor operator()(const std::vector<Tensor>& at) const {
    Tensor index, inside;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const auto last = static_cast<double>(sizes[d] - 1);
      const Tensor x = at[d].detach();
      const Tensor within = (x >= 0).logical_and(x <= last);
      const Tensor i = where(within, x, 0).to(DType::i64);
      index = d == 0 ? i : index * sizes[d] + i;
      inside = d == 0 ? within : inside.logical_and(within);
    }
    const Shape all{planes.size(0), planes.size(1), index.size(1)};
    return where(inside.unsqueeze(1), planes.gather(2, index.unsqueeze(1).expand(all)), 0);
  }
};

/// Interpolates between the 2^d pixels around each point.
Tensor linear(const Pixels& pixels, const std::vector<Tensor>& at) {
  std::vector<Tensor> low;
  for (const Tensor& x : at) low.push_back(x.detach().floor());
  Tensor sum;
  for (std::size_t corner = 0; corner < std::size_t{1} << at.size(); ++corner) {
    std::vector<Tensor> pixel = low;
    Tensor weight;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const bool high = corner >> d & 1;
      if (high) pixel[d] = low[d] + 1;
      const Tensor share = high ? at[d] - low[d] : low[d] + 1 - at[d];
      weight = d == 0 ? share : weight * share;
    }
    const Tensor term = pixels(pixel) * weight.unsqueeze(1);
    sum = corner == 0 ? term : sum + term;
  }
  return sum;
}

/// Weights of four neighbors at fraction t, by cubic convolution with a = -0.75.
std::vector<Tensor> cubic_weights(const Tensor& t) {
  constexpr double a = -0.75;
  const auto near = [&](const Tensor& x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [&](const Tensor& x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

Tensor cubic(const Pixels& pixels, const std::vector<Tensor>& at, Padding padding,
             bool align_corners) {
  std::vector<Tensor> low;
  std::vector<std::vector<Tensor>> weights;
  for (const Tensor& x : at) {
    low.push_back(x.detach().floor());
    weights.push_back(cubic_weights(x - low.back()));
  }
  Tensor sum;
  for (std::size_t neighbor = 0; neighbor < std::size_t{1} << 2 * at.size(); ++neighbor) {
    std::vector<Tensor> pixel;
    Tensor weight;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const std::size_t i = neighbor >> 2 * d & 3;
      pixel.push_back(pad_positions(low[d] + (static_cast<double>(i) - 1), pixels.sizes[d], padding,
                                    align_corners));
      weight = d == 0 ? weights[d][i] : weight * weights[d][i];
    }
    const Tensor term = pixels(pixel) * weight.unsqueeze(1);
    sum = neighbor == 0 ? term : sum + term;
  }
  return sum;
}

}  // namespace

Tensor composed_grid_sample(const GridSampling& o, const Tensor& input, const Tensor& grid) {
  const Padding padding = grid::padding_named(o.padding_mode);
  const bool align_corners = o.align_corners;
  const Pixels pixels(input);
  const std::size_t dims = pixels.sizes.size();
  const Tensor points = grid.flatten(1, -2);
  std::vector<Tensor> at;  // positions (N, P), from the outermost dimension to x
  for (std::size_t d = 0; d < dims; ++d) {
    const Tensor x = to_pixels(points.select(2, static_cast<std::int64_t>(dims - 1 - d)),
                               pixels.sizes[d], align_corners);
    at.push_back(o.mode == "bicubic" ? x
                                     : pad_positions(x, pixels.sizes[d], padding, align_corners));
  }
  Tensor values;
  if (o.mode == "nearest") {
    const Tensor zero = zeros_like(at[0]);
    // The gradient of the grid is 0, not undefined.
    const Tensor constant = where(zero.ne(0), at[0], zero);
    for (Tensor& x : at) x = x.detach().round();
    values = pixels(at) + constant.unsqueeze(1);
  } else {
    values = o.mode == "bilinear" ? linear(pixels, at) : cubic(pixels, at, padding, align_corners);
  }
  Shape shape{input.size(0), input.size(1)};
  for (std::size_t d = 1; d <= dims; ++d) shape.push_back(grid.shape()[d]);
  return values.reshape(shape);
}

}  // namespace taper
