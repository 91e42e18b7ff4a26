#include "ops/linalg/linear.h"
#include "cpu/gemm/gemm.h"

namespace taper {

using kernel::Matrices;
using kernel::matrices_of;

template <> bool cpu_kernel(const Linear&, const KernelArgs& k) {
  if ((*k.in[2].strides)[0] != 1 && k.in[2].numel > 1) return false;
  return kernel::multiply(matrices_of(k.in[0]), matrices_of(k.in[1]).transposed(),
                          matrices_of(k.out[0]), k.in[2].data);
}

template <> bool cpu_kernel(const LinearBackward&, const KernelArgs& k) {
  const Matrices g = matrices_of(k.in[0]);
  if (k.in[0].dtype != DType::f32 && k.in[0].dtype != DType::f64) return false;
  if (k.out[2].shape && g.first.col != 1 && g.first.cols > 1) return false;
  if (k.out[0].shape) kernel::multiply(g, matrices_of(k.in[2]), matrices_of(k.out[0]));
  if (k.out[1].shape) kernel::multiply(g.transposed(), matrices_of(k.in[1]), matrices_of(k.out[1]));
  if (!k.out[2].shape) return true;
  const auto sums = [&]<class T>(T) {
    cpu::column_sums(g.first.rows, g.first.cols, reinterpret_cast<const T*>(g.first.data),
                     g.first.row, reinterpret_cast<T*>(k.out[2].data), false);
  };
  if (g.first.dtype == DType::f32)
    sums(float{});
  else
    sums(double{});
  return true;
}

}  // namespace taper
