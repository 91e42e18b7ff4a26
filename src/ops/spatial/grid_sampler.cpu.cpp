#include "ops/spatial/grid_sampler.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "cpu/threads.h"
#include "ops/spatial/sample_image.h"

namespace taper {
namespace {

bool is_dense_f32(const View& v) { return v.dtype == DType::f32 && is_contiguous(v); }

/// Returns the sampling of one of the images of `x` at the points of `g`, or nullopt if the kernel
/// does not support it.
std::optional<grid::ImageSampling> image_sampling(const GridSampling& o, const View& x,
                                                  const View& g) {
  const Shape &shape = *x.shape, &points = *g.shape;
  if (shape.size() != 4 || o.mode != "bilinear" || o.padding_mode == "reflection" ||
      !is_dense_f32(x) || !is_dense_f32(g) ||
      shape[2] > std::numeric_limits<std::int32_t>::max() / shape[3])
    return std::nullopt;
  return grid::ImageSampling{.channels = shape[1],
                             .height = shape[2],
                             .width = shape[3],
                             .points = points[1] * points[2],
                             .align_corners = o.align_corners,
                             .border = o.padding_mode == "border"};
}

const float* floats(const View& v, std::int64_t offset) {
  return reinterpret_cast<const float*>(v.data) + offset;
}

}  // namespace

template <> bool cpu_kernel(const GridSampler& o, const KernelArgs& k) {
  const View &x = k.in[0], &g = k.in[1], &y = k.out[0];
  const auto s = image_sampling(o, x, g);
  if (!s || !is_dense_f32(y)) return false;
  if (y.numel == 0) return true;
  // Blocks of points that share coordinates across channels.
  constexpr std::int64_t kPoints = 512;
  const std::int64_t blocks = (s->points + kPoints - 1) / kPoints;
  const std::int64_t cost = 1 + 4 * s->channels * std::min(kPoints, s->points);
  cpu::parallel_for(
      0, (*x.shape)[0] * blocks, 1 + 32768 / cost, [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i) {
          const std::int64_t image = i / blocks, first = i % blocks * kPoints;
          grid::sample_image(*s, floats(x, image * s->channels * s->height * s->width),
                             floats(g, image * s->points * 2),
                             reinterpret_cast<float*>(y.data) + image * s->channels * s->points,
                             first, std::min(first + kPoints, s->points));
        }
      });
  return true;
}

template <> bool cpu_kernel(const GridSamplerBackward& o, const KernelArgs& k) {
  const View &grad = k.in[0], &x = k.in[1], &g = k.in[2];
  const auto s = image_sampling(o, x, g);
  if (!s || !is_dense_f32(grad) || !is_dense_f32(k.out[0]) || !is_dense_f32(k.out[1])) return false;
  auto* const grad_image = reinterpret_cast<float*>(k.out[0].data);
  auto* const grad_grid = reinterpret_cast<float*>(k.out[1].data);
  const std::int64_t size = s->channels * s->height * s->width;
  // Points share pixels, so that threads divide images.
  cpu::parallel_for(0, (*x.shape)[0], 1, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i) {
      std::fill_n(grad_image + i * size, size, 0.0f);
      grid::sample_image_backward(*s, floats(grad, i * s->channels * s->points),
                                  floats(x, i * size), floats(g, i * s->points * 2),
                                  grad_image + i * size, grad_grid + i * s->points * 2);
    }
  });
  return true;
}

}  // namespace taper
