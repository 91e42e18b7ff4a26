// Sort keys: unsigned integers that are ordered as the elements that they represent.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cpu/threads.h"
#include "ops/kernel/slices.h"

namespace taper::sorting {

/// Returns the key of an element. NaN is greater than all numbers, and -0 is equal to 0.
template <class T> std::uint64_t sort_key(T x) {
  if constexpr (is_narrow_float<T>) {
    return sort_key(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
    if (std::isnan(x)) return std::numeric_limits<Bits>::max();
    const Bits bits = x == T{} ? Bits{} : std::bit_cast<Bits>(x);
    return static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
  } else if constexpr (std::is_same_v<T, bool>) {
    return x ? 1 : 0;
  } else {
    using Bits = std::make_unsigned_t<T>;
    constexpr Bits kSign =
        std::is_signed_v<T> ? static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1)) : Bits{};
    return static_cast<Bits>(static_cast<Bits>(x) ^ kSign);
  }
}

/// Returns the number of low bytes of a key that are not constant.
inline std::size_t key_bytes(DType dtype) {
  return is_floating_point(dtype) && size_of(dtype) == 2 ? 4 : size_of(dtype);
}

/// Calls f(i, key) for the n elements of a slice.
template <class F> void for_each_key(const kernel::Slice1d& slice, std::int64_t n, F&& f) {
  visit_dtype(slice.dtype, [&]<class T>(T) {
    using Read = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    const std::byte* at = slice.first;
    for (std::int64_t i = 0; i < n; ++i, at += slice.step) {
      const Read x = *reinterpret_cast<const Read*>(at);
      if constexpr (std::is_same_v<T, bool>)
        f(i, sort_key(x != 0));
      else
        f(i, sort_key(x));
    }
  });
}

/// Returns true for a view whose elements are in row-major order.
inline bool is_row_major(const View& v) { return v.numel != 0 && is_contiguous(v); }

/// Calls f(slices) for every slice of `shape` along `dim`, as kernel::for_each_slice, in parallel
/// if all views are in row-major order. Views may differ in the size of `dim`. f(slices) must not
/// depend on the order of the calls.
template <std::size_t N, class F>
void for_each_slice_in_parallel(const Shape& shape, std::int64_t dim,
                                const std::array<const View*, N>& views, F&& f) {
  bool row_major = !shape.empty();
  for (const View* v : views) row_major = row_major && is_row_major(*v);
  if (!row_major) return kernel::for_each_slice<N>(shape, dim, views, f);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, shape.size(), "slices"));
  std::int64_t inner = 1, outer = 1;
  for (std::size_t e = 0; e < shape.size(); ++e)
    if (e != d) (e < d ? outer : inner) *= shape[e];
  constexpr std::int64_t kGrain = 1 << 13;
  const std::int64_t grain =
      std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, shape[d]));
  cpu::parallel_for(0, outer * inner, grain, [&](std::int64_t begin, std::int64_t end) {
    std::array<kernel::Slice1d, N> slices;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::size_t v = 0; v < N; ++v) {
        const std::int64_t size = kernel::element_size(*views[v]);
        const std::int64_t length = views[v]->numel / (outer * inner);
        slices[v] = {views[v]->data + (i / inner * length * inner + i % inner) * size, inner * size,
                     views[v]->dtype};
      }
      f(slices);
    }
  });
}

/// View of an output from which a reduced dimension was removed, with stride 0 at this dimension.
struct KeptDim {
  Shape strides;
  View view;

  KeptDim(const View& out, std::size_t rank, std::int64_t dim) : strides(*out.strides), view(out) {
    if (strides.size() < rank)
      strides.insert(static_cast<std::size_t>(wrap_dim(dim, rank, "slices")), 0);
    view.strides = &strides;
  }
  KeptDim(const KeptDim&) = delete;
  KeptDim& operator=(const KeptDim&) = delete;
};

}  // namespace taper::sorting
