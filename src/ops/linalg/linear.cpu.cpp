#include "ops/linalg/linear.h"

#include <algorithm>
#include <type_traits>

#include "core/dtype_table.h"
#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"

namespace taper {

using kernel::Matrices;
using kernel::matrices_of;

namespace {

/// As cpu::column_sums, for 16-bit floats, whose sums are computed in f32.
template <class T>
void narrow_column_sums(std::int64_t m, std::int64_t n, const T* x, std::int64_t x_row, T* out) {
  const cpu::Scratch scratch(static_cast<std::size_t>(n) * sizeof(float));
  float* const sums = scratch.as<float>();
  std::fill_n(sums, n, 0.0f);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) sums[j] += static_cast<float>(x[i * x_row + j]);
  std::transform(sums, sums + n, out, [](float sum) { return T(sum); });
}

}  // namespace

template <> bool cpu_kernel(const Linear&, const KernelArgs& k) {
  if ((*k.in[2].strides)[0] != 1 && k.in[2].numel > 1) return false;
  return kernel::multiply(matrices_of(k.in[0]), matrices_of(k.in[1]).transposed(),
                          matrices_of(k.out[0]), k.in[2].data);
}

template <> bool cpu_kernel(const LinearBackward&, const KernelArgs& k) {
  const Matrices g = matrices_of(k.in[0]);
  if (!is_floating_point(k.in[0].dtype)) return false;
  if (k.out[2].shape && g.first.col_stride != 1 && g.first.cols > 1) return false;
  if (k.out[0].shape) kernel::multiply(g, matrices_of(k.in[2]), matrices_of(k.out[0]));
  if (k.out[1].shape) kernel::multiply(g.transposed(), matrices_of(k.in[1]), matrices_of(k.out[1]));
  if (!k.out[2].shape) return true;
  visit_dtype(g.first.dtype, [&]<class T>(T) {
    const T* const from = reinterpret_cast<const T*>(g.first.data);
    T* const to = reinterpret_cast<T*>(k.out[2].data);
    if constexpr (is_narrow_float<T>)
      narrow_column_sums(g.first.rows, g.first.cols, from, g.first.row_stride, to);
    else if constexpr (std::is_floating_point_v<T>)
      cpu::column_sums(g.first.rows, g.first.cols, from, g.first.row_stride, to, false);
  });
  return true;
}

}  // namespace taper
