// Loops of reference kernels: any layout, any dtype, computed in double or int64.
#pragma once
#include <array>
#include <span>
#include <utility>

#include "ops/kernel/element.h"
#include "ops/op.h"

namespace taper::kernel {

/// Visits every index of `shape` in row-major order with the byte offset of each operand.
template <std::size_t N, class F>
void walk(const Shape& shape, const std::array<const View*, N>& views, F&& f) {
  const std::size_t rank = shape.size();
  std::array<std::int64_t, N> at{};
  Shape index = Shape::filled(rank, 0);
  for (std::int64_t d : shape)
    if (d == 0) return;
  for (;;) {
    f(at);
    std::size_t d = rank;
    for (; d-- > 0;) {
      ++index[d];
      for (std::size_t v = 0; v < N; ++v)
        at[v] += (*views[v]->strides)[d] * element_size(*views[v]);
      if (index[d] < shape[d]) break;
      for (std::size_t v = 0; v < N; ++v)
        at[v] -= (*views[v]->strides)[d] * element_size(*views[v]) * shape[d];
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

/// Calls f(T{}) with the type T to compute in: double for floating-point types, int64 otherwise.
template <class F> void in_compute_type(DType compute, F&& f) {
  if (is_floating_point(compute))
    f(double{});
  else
    f(std::int64_t{});
}

/// Computes out[i] = f(in0[i], ..., inN-1[i]), where f maps values of the compute type to the
/// compute type or to bool. Operands of another dtype are converted to the computation's dtype
/// first. If this is a 16-bit float, which is computed in float, they are rounded to it only if
/// `exact` is true.
template <std::size_t N, class F> void map(const KernelArgs& k, F f, bool exact = false) {
  const View& out = k.out[0];
  in_compute_type(k.compute, [&]<class T>(T) {
    std::array<const View*, N + 1> views;
    for (std::size_t i = 0; i < N; ++i) views[i] = &k.in[i];
    views[N] = &out;
    const bool rounds = exact || size_of(k.compute) != 2 || !is_floating_point(k.compute);
    const auto operand = [&](const View& v, std::int64_t at) {
      const T x = load<T>(v.data + at, v.dtype);
      return rounds && v.dtype != k.compute ? round_to_dtype(x, k.compute) : x;
    };
    walk(*out.shape, views, [&](const std::array<std::int64_t, N + 1>& at) {
      const auto value = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return f(operand(*views[I], at[I])...);
      }
      (std::make_index_sequence<N>{});
      store(out.data + at[N], out.dtype, value);
    });
  });
}

}  // namespace taper::kernel
