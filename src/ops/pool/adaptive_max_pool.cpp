// Maxima of regions whose number is given: over two dimensions, and by these over one and three.
#include "ops/pool/adaptive_max_pool.h"

#include "cpu/pool/window.h"
#include "ops/autocast.h"
#include "ops/indexing/indexing.h"
#include "ops/kernel/channels_last.h"
#include "ops/kernel/reference.h"
#include "ops/pool/functions.h"
#include "ops/pool/windows_nd.h"
#include "ops/promote.h"
#include "taper/ops/pool.h"

namespace taper {

void AdaptiveMaxPool2d::infer(ShapeInference& i) const {
  pool::set_output_like(i, i.tensor(0), pool::adaptive_shape(i, output_size, false), i.dtype(0));
  pool::set_output_like(i, i.tensor(0), pool::adaptive_shape(i, output_size, false), DType::i64);
}

void AdaptiveMaxPool2d::backward(BackwardContext<AdaptiveMaxPool2d>& b) const {
  const Shape& x = b.input_meta(0).shape;
  const auto h = static_cast<std::int64_t>(x.size()) - 2;
  const Tensor gradient = indexing::zeros_for(x, b.grad()).flatten(h);
  b[0] = gradient.scatter_add_(-1, b.output<1>().flatten(h), b.grad().flatten(h)).reshape(x);
}

template <> void reference_kernel(const AdaptiveMaxPool2d&, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0], &indices = k.out[1];
  const cpu::Pool2d g = pool::make_adaptive_params(*x.shape, *y.shape);
  const pool::ElementAddress from(x), to(y), index_at(indices);
  pool::for_each_position(
      g.n, g.c, g.ho, g.wo, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
        const cpu::Span rows = cpu::rows_of(g, i), columns = cpu::columns_of(g, j);
        double max = 0;
        std::int64_t at = -1;
        for (std::int64_t h = rows.begin; h < rows.begin + rows.count; ++h)
          for (std::int64_t w = columns.begin; w < columns.begin + columns.count; ++w) {
            const double e = kernel::load<double>(from(n, c, h, w), x.dtype);
            if (at >= 0 && !(e > max) && e == e) continue;  // a later NaN replaces an earlier one
            max = e, at = h * g.w + w;
          }
        kernel::store(to(n, c, i, j), y.dtype, max);
        kernel::store(index_at(n, c, i, j), indices.dtype, at);
      });
}

template <> bool cpu_kernel(const AdaptiveMaxPool2d&, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0], &indices = k.out[1];
  const auto order = pool::kernel_layout(x, y);
  if (!order) return false;
  if (y.numel == 0) return true;
  cpu::Pool2d p = pool::make_adaptive_params(*x.shape, *y.shape);
  p.channels_last = *order == PhysicalLayout::channels_last;
  const kernel::ViewInLayout from(x, *order);
  cpu::max_pool2d(p, from.as<float>(), reinterpret_cast<float*>(y.data),
                  reinterpret_cast<std::int64_t*>(indices.data));
  return true;
}

TAPER_DEFINE_OP(adaptive_max_pool2d, AdaptiveMaxPool2d);

namespace {

using Maxima = std::pair<Tensor, Tensor>;

Maxima maxima_2d(const Tensor& x, const Shape& size) {
  const auto outputs = run_all(AdaptiveMaxPool2d{size}, x);
  return {outputs[0], outputs[1]};
}

bool records_gradient(const Tensor& x) { return x.requires_grad() && is_grad_enabled(); }

/// Returns true if windows over `size` elements have equal sizes and no common elements.
bool is_divided(std::int64_t size, std::int64_t windows) {
  return windows > 0 && size > 0 && size % windows == 0;
}
/// Returns x with dimension `dim` divided into windows and their elements.
Tensor equal_windows(const Tensor& x, std::size_t dim, std::int64_t windows) {
  Shape shape = x.shape();
  shape.insert(dim + 1, shape[dim] / windows);
  shape[dim] = windows;
  return x.reshape(shape);
}

/// Maxima of the planes of an input (N, C, D, H, W), then of the columns of the results. Without
/// `with_indices`, the indices are undefined.
Maxima maxima_3d(const Tensor& x, const Shape& size, bool with_indices) {
  if (is_divided(x.size(2), size[0]) && !with_indices && !records_gradient(x)) {
    const Tensor depths = equal_windows(x, 2, size[0]).amax({3});
    return {maxima_2d(depths.flatten(1, 2), {size[1], size[2]})
                .first.reshape({x.size(0), x.size(1), size[0], size[1], size[2]}),
            Tensor()};
  }
  const std::int64_t positions = size[1] * size[2];
  const Shape columns{x.size(0), x.size(1), x.size(2), positions};
  const Shape result{x.size(0), x.size(1), size[0], size[1], size[2]};
  if (positions == 0) return {x.new_empty(result), x.new_empty(result, {.dtype = DType::i64})};
  const auto [planes, in_plane] = maxima_2d(x.flatten(1, 2), {size[1], size[2]});
  const auto [values, in_column] = maxima_2d(planes.reshape(columns), {size[0], positions});
  if (!with_indices) return {values.reshape(result), Tensor()};
  const Tensor depth = in_column.div(positions, "floor");
  const Tensor indices =
      depth * (x.size(3) * x.size(4)) + in_plane.reshape(columns).gather(2, depth);
  return {values.reshape(result), indices.reshape(result)};
}

}  // namespace

Maxima adaptive_max_pool(std::string_view op, const Tensor& x, const AdaptiveSize& size,
                         std::size_t dims, bool with_indices) {
  if (tls.autocast && dims == 3)
    return autocast_call(AutocastPolicy::f32, adaptive_max_pool, op, x, size, dims, with_indices);
  pool::check_pool_input(op, x, dims);
  if (!x.is_floating_point())
    fail<NotImplementedError>("{}: not implemented for '{}'", op, legacy_name(x.dtype()));
  const Shape sizes =
      pool::for_dims(op, pool::resolve_adaptive_size(size, x.shape(), dims), dims, "output_size");
  for (const std::int64_t n : sizes)
    if (n < 0)
      fail<ShapeError>("{}: elements of output_size must be non-negative, but got {}", op, sizes);
  if (dims == 2) return maxima_2d(x, sizes);
  if (dims == 3) {
    if (!with_indices)
      return {pool::with_batch(
                  x, 3, [&](const Tensor& batch) { return maxima_3d(batch, sizes, false).first; }),
              Tensor()};
    return pool::with_batch(x, 3,
                            [&](const Tensor& batch) { return maxima_3d(batch, sizes, true); });
  }
  const std::size_t last = x.shape().size() - 1;
  if (is_divided(x.size(-1), sizes[0]) && !with_indices && !records_gradient(x))
    return {equal_windows(x, last, sizes[0]).amax({-1}), Tensor()};
  const auto [values, indices] = maxima_2d(x.unsqueeze(-2), {1, sizes[0]});
  return {values.squeeze({-2}), indices.squeeze({-2})};
}

std::pair<Tensor, Tensor> adaptive_max_pool1d(const Tensor& x, const AdaptiveSize& size) {
  return adaptive_max_pool("adaptive_max_pool1d", x, size, 1, true);
}

}  // namespace taper
