// Kernels of max, min, argmax and argmin.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/kernel/dense.h"
#include "ops/kernel/narrow_values.h"
#include "ops/kernel/slices.h"
#include "ops/reduce/arg_min_max.h"
#include "ops/reduce/min_max.h"
#include "ops/reduce/reduce_kernel.h"

namespace taper {
namespace {

/// Computes values and indices along `dim`. The outputs have this dimension with size 1, or lack
/// it. `values` is null if only the indices are computed.
template <bool Largest>
void min_max_along_dim(const View& in, std::int64_t dim, const View* values, const View& indices) {
  const Shape& shape = *in.shape;
  const bool scalar = shape.empty();
  const auto d = scalar ? 0 : static_cast<std::size_t>(wrap_dim(dim, shape.size(), "max"));
  // Strides of the outputs with 0 at `dim`.
  Shape value_strides, index_strides = *indices.strides;
  if (values) value_strides = *values->strides;
  if (indices.shape->size() < shape.size()) {
    index_strides.insert(d, 0);
    if (values) value_strides.insert(d, 0);
  }
  View index = indices, value = values ? *values : indices;
  index.strides = &index_strides;
  value.strides = values ? &value_strides : &index_strides;
  const std::int64_t n = kernel::slice_length(shape, dim);
  kernel::in_compute_type(in.dtype, [&]<class T>(T) {
    kernel::for_each_slice<3>(shape, dim, {&in, &value, &index}, [&](const auto& slices) {
      T best = slices[0].template get<T>(0);
      std::int64_t at = 0;
      for (std::int64_t i = 1; i < n; ++i)
        if (const T x = slices[0].template get<T>(i); reduce::is_more_extreme<Largest>(x, best))
          best = x, at = i;
      if (values) slices[1].set(0, best);
      slices[2].set(0, at);
    });
  });
}

/// Computes extrema of 16-bit floats in float32, some of the slices at a time. Returns false for
/// other dtypes and for long slices, which threads share.
bool min_max_of_narrow_floats(const View& in, const reduce::ArgShape& shape, bool largest,
                              const View* values, std::int64_t* indices) {
  constexpr std::int64_t kBlock = 1 << 14;
  const std::int64_t each = shape.n * shape.inner;
  if (size_of(in.dtype) != 2 || !is_floating_point(in.dtype) || !is_contiguous(in) || each > kBlock)
    return false;
  const kernel::Conversions convert(in.dtype);
  const std::int64_t step = std::max<std::int64_t>(1, kBlock / each);
  cpu::parallel_for(0, shape.outer, step, [&](std::int64_t begin, std::int64_t end) {
    const cpu::Scratch x(static_cast<std::size_t>(step * each) * sizeof(float)),
        best(static_cast<std::size_t>(step * shape.inner) * sizeof(float));
    for (; begin < end; begin += step) {
      const std::int64_t count = std::min(step, end - begin), at = begin * shape.inner;
      convert.read(in, begin * each, x.as<float>(), count * each);
      reduce::arg_min_max<float>({count, shape.n, shape.inner}, largest, x.as<float>(),
                                 values ? best.as<float>() : nullptr, indices + at);
      if (values) convert.write(*values, at, best.as<float>(), count * shape.inner);
    }
  });
  return true;
}

template <bool Largest> bool min_max_fast(const View& in, std::optional<std::int64_t> dim,
                                          const View* values, const View& indices) {
  const std::size_t rank = in.shape->size();
  if (in.numel == 0 || !is_contiguous(indices) || (values && !is_contiguous(*values))) return false;
  reduce::ArgShape shape{1, in.numel, 1};
  if (dim && rank > 0) {
    const auto d = static_cast<std::size_t>(wrap_dim(*dim, rank, "max"));
    shape.n = (*in.shape)[d];
    for (std::size_t e = d + 1; e < rank; ++e) shape.inner *= (*in.shape)[e];
    shape.outer = in.numel / (shape.n * shape.inner);
    if (shape.n > std::numeric_limits<std::int32_t>::max()) return false;
  }
  auto* const at = reinterpret_cast<std::int64_t*>(indices.data);
  if (min_max_of_narrow_floats(in, shape, Largest, values, at)) return true;
  kernel::in_dense_type(in.dtype, [&]<class T>(T) {
    const kernel::DenseInput<T> x(in);
    if (values && values->dtype != kernel::dense_dtype<T>()) {
      std::vector<T> best(static_cast<std::size_t>(values->numel));
      reduce::arg_min_max<T>(shape, Largest, x.data(), best.data(), at);
      reduce::store_results(*values, [&](std::size_t i) { return best[i]; });
    } else {
      reduce::arg_min_max<T>(shape, Largest, x.data(),
                             values ? reinterpret_cast<T*>(values->data) : nullptr, at);
    }
  });
  return true;
}

template <bool Largest> void arg_min_max_all(const View& in, const View& out) {
  kernel::in_compute_type(in.dtype, [&]<class T>(T) {
    T best{};
    std::int64_t at = -1, i = 0;
    kernel::walk<1>(*in.shape, {&in}, [&](const auto& p) {
      const T x = kernel::load<T>(in.data + p[0], in.dtype);
      if (at < 0 || reduce::is_more_extreme<Largest>(x, best)) best = x, at = i;
      ++i;
    });
    kernel::store(out.data, out.dtype, at);
  });
}

}  // namespace

template <> void reference_kernel(const MinMax<true>& o, const KernelArgs& k) {
  min_max_along_dim<true>(k.in[0], o.dim, &k.out[0], k.out[1]);
}
template <> void reference_kernel(const MinMax<false>& o, const KernelArgs& k) {
  min_max_along_dim<false>(k.in[0], o.dim, &k.out[0], k.out[1]);
}
template <> bool cpu_kernel(const MinMax<true>& o, const KernelArgs& k) {
  return min_max_fast<true>(k.in[0], o.dim, &k.out[0], k.out[1]);
}
template <> bool cpu_kernel(const MinMax<false>& o, const KernelArgs& k) {
  return min_max_fast<false>(k.in[0], o.dim, &k.out[0], k.out[1]);
}
template <> void reference_kernel(const ArgMinMax<true>& o, const KernelArgs& k) {
  if (o.dim)
    min_max_along_dim<true>(k.in[0], *o.dim, nullptr, k.out[0]);
  else
    arg_min_max_all<true>(k.in[0], k.out[0]);
}
template <> void reference_kernel(const ArgMinMax<false>& o, const KernelArgs& k) {
  if (o.dim)
    min_max_along_dim<false>(k.in[0], *o.dim, nullptr, k.out[0]);
  else
    arg_min_max_all<false>(k.in[0], k.out[0]);
}
template <> bool cpu_kernel(const ArgMinMax<true>& o, const KernelArgs& k) {
  return min_max_fast<true>(k.in[0], o.dim, nullptr, k.out[0]);
}
template <> bool cpu_kernel(const ArgMinMax<false>& o, const KernelArgs& k) {
  return min_max_fast<false>(k.in[0], o.dim, nullptr, k.out[0]);
}

}  // namespace taper
