// Maxima of regions whose number is given, one dimension after the other: maxima are separable.
#include "ops/autocast.h"
#include "ops/pool/window.h"
#include "ops/pool/windows_nd.h"
#include "ops/promote.h"
#include "taper/core/factory.h"
#include "taper/ops/pool_nd.h"

namespace taper {
namespace {

/// Maxima along one dimension and their positions in it.
struct Maxima {
  Tensor values, positions;
};

Maxima adaptive_max(const Tensor& x, std::int64_t dim, std::int64_t out) {
  const std::int64_t size = x.size(dim);
  // A region of the largest extent; shorter regions repeat their last element.
  const std::int64_t extent = out > 0 ? (size + out - 1) / out + 1 : 1;
  const Tensor elements = empty({out, extent}, {.dtype = DType::i64, .device = Device::cpu()});
  auto* to = elements.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < out; ++i) {
    const std::int64_t begin = i * size / out, end = ((i + 1) * size + out - 1) / out;
    for (std::int64_t j = 0; j < extent; ++j) *to++ = std::min(begin + j, end - 1);
  }
  const Tensor on_device = elements.to(x.device());
  const auto [values, within] =
      x.index_select(dim, on_device.reshape({-1})).unflatten(dim, {out, extent}).max(dim + 1);
  Shape along = Shape::filled(x.shape().size(), 1);
  along[static_cast<std::size_t>(dim)] = out;
  const Tensor begin = on_device.select(1, 0).reshape(along),
               last = on_device.select(1, -1).reshape(along);
  return {values, (begin + within).minimum(last)};
}

std::pair<Tensor, Tensor> adaptive_max_pool(std::string_view op, const Tensor& x,
                                            const AdaptiveSize& size, std::size_t dims) {
  if (tls.autocast && dims == 3)
    return autocast_call(AutocastPolicy::f32, adaptive_max_pool, op, x, size, dims);
  pool::check_pool_input(op, x, dims);
  if (!x.is_floating_point())
    fail<NotImplementedError>("{}: not implemented for '{}'", op, legacy_name(x.dtype()));
  const Shape sizes =
      pool::for_dims(op, pool::resolve_adaptive_size(size, x.shape(), dims), dims, "output_size");
  for (const std::int64_t n : sizes)
    if (n < 0)
      fail<ShapeError>("{}: elements of output_size must be non-negative, but got {}", op, sizes);
  Tensor values = x, indices;
  std::int64_t step = 1;  // of the dimension in the flat index
  for (std::size_t d = dims; d-- > 0;) {
    const auto dim = static_cast<std::int64_t>(x.shape().size() - dims + d);
    const Maxima along = adaptive_max(values, dim, sizes[d]);
    indices = indices.defined() ? along.positions * step + indices.gather(dim, along.positions)
                                : along.positions;
    step *= x.size(dim);
    values = along.values;
  }
  return {values, indices};
}

}  // namespace

#define ADAPTIVE_MAX_POOL(name, dims)                                                        \
  Tensor name(const Tensor& x, const AdaptiveSize& size) {                                   \
    return adaptive_max_pool(#name, x, size, dims).first;                                    \
  }                                                                                          \
  std::pair<Tensor, Tensor> name##_with_indices(const Tensor& x, const AdaptiveSize& size) { \
    return adaptive_max_pool(#name, x, size, dims);                                          \
  }
ADAPTIVE_MAX_POOL(adaptive_max_pool1d, 1)
ADAPTIVE_MAX_POOL(adaptive_max_pool2d, 2)
ADAPTIVE_MAX_POOL(adaptive_max_pool3d, 3)

}  // namespace taper
