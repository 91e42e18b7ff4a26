// Parallel loops over slices along one dimension.
#pragma once
#include <algorithm>

#include "cpu/threads.h"
#include "ops/kernel/slices.h"

namespace taper::kernel {

/// Returns true for a view whose elements are in row-major order.
inline bool is_row_major(const View& v) { return v.numel != 0 && is_contiguous(v); }

/// Calls f(slices) for every slice of `shape` along `dim`, as for_each_slice, in parallel if all
/// views are in row-major order. Views may differ in the size of `dim`. f(slices) must not depend
/// on the order of the calls. With `f_is_parallel`, fewer long slices than threads are visited in
/// sequence, so that f divides each among all threads.
template <std::size_t N, class F>
void for_each_slice_in_parallel(const Shape& shape, std::int64_t dim,
                                const std::array<const View*, N>& views, F&& f,
                                bool f_is_parallel = false) {
  bool row_major = !shape.empty();
  for (const View* v : views) row_major = row_major && is_row_major(*v);
  if (!row_major) return for_each_slice<N>(shape, dim, views, f);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, shape.size(), "slices"));
  std::int64_t inner = 1, outer = 1;
  for (std::size_t e = 0; e < shape.size(); ++e)
    if (e != d) (e < d ? outer : inner) *= shape[e];
  constexpr std::int64_t kGrain = 1 << 13, kLongSlice = 1 << 16;
  const std::int64_t count = outer * inner;
  const bool divides = f_is_parallel && shape[d] >= kLongSlice && count < cpu::available_threads();
  const std::int64_t grain =
      divides ? count : std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, shape[d]));
  cpu::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    std::array<Slice1d, N> slices;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::size_t v = 0; v < N; ++v) {
        const std::int64_t size = element_size(*views[v]);
        const std::int64_t length = views[v]->numel / count;
        slices[v] = {views[v]->data + (i / inner * length * inner + i % inner) * size, inner * size,
                     views[v]->dtype};
      }
      f(slices);
    }
  });
}

}  // namespace taper::kernel
