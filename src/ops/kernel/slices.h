// Reference loops over slices along one dimension.
#pragma once
#include "ops/kernel/reference.h"

namespace taper::kernel {

/// Slice of one operand along a dimension: the address of its first element, and the step between
/// elements.
struct Slice1d {
  std::byte* first = nullptr;
  std::int64_t step = 0;  // in bytes
  DType dtype = DType::f32;
  template <class T> T get(std::int64_t i) const { return load<T>(first + i * step, dtype); }
  template <class T> void set(std::int64_t i, T v) const { store(first + i * step, dtype, v); }
};

/// Calls f(slices) for every slice of `shape` along `dim`. Each view has the rank of `shape`. A
/// 0-dim tensor is one slice of one element.
template <std::size_t N, class F> void for_each_slice(const Shape& shape, std::int64_t dim,
                                                      const std::array<const View*, N>& views,
                                                      F&& f) {
  Shape starts = shape;
  const bool scalar = shape.empty();
  const auto d = scalar ? 0 : static_cast<std::size_t>(wrap_dim(dim, shape.size(), "slice"));
  if (!scalar) starts[d] = 1;
  std::array<Slice1d, N> slices;
  for (std::size_t v = 0; v < N; ++v) {
    slices[v].step = scalar ? 0 : (*views[v]->strides)[d] * element_size(*views[v]);
    slices[v].dtype = views[v]->dtype;
  }
  walk(starts, views, [&](const std::array<std::int64_t, N>& at) {
    for (std::size_t v = 0; v < N; ++v) slices[v].first = views[v]->data + at[v];
    f(slices);
  });
}
/// Returns the number of elements of a slice of `shape` along `dim`.
inline std::int64_t slice_length(const Shape& shape, std::int64_t dim) {
  return shape.empty() ? 1 : shape[static_cast<std::size_t>(wrap_dim(dim, shape.size(), "slice"))];
}

}  // namespace taper::kernel
