#include "cpu/softmax/softmax.h"
#include "ops/copy/copy_kernel.h"
#include "ops/kernel/float_copy.h"
#include "ops/loss/softmax.h"

namespace taper {
namespace {

/// Returns the sizes of a softmax along `dim` over a view that is dense in any order of dimensions.
/// In such a view, the stride of `dim` is the number of interleaved slices.
cpu::SoftmaxShape dense_shape(const View& v, std::int64_t dim) {
  cpu::SoftmaxShape s;
  if (v.shape->empty()) return s;
  const auto d = static_cast<std::size_t>(wrap_dim(dim, v.shape->size(), "softmax"));
  s.size = (*v.shape)[d];
  if (s.size > 1) s.inner = (*v.strides)[d];
  s.outer = v.numel == 0 ? 0 : v.numel / (s.size * s.inner);
  return s;
}

bool all_dense(const KernelArgs& k) {
  for (const View& v : k.in)
    if (v.dtype != k.out[0].dtype || !kernel::same_dense_layout(v, k.out[0])) return false;
  return k.out[0].dtype == DType::f64 || kernel::is_computed_in_f32(k.out[0].dtype);
}

template <class T> T* data_as(const View& v) { return reinterpret_cast<T*>(v.data); }
kernel::FloatInput as_floats(const View& v) { return {v.data, v.dtype, v.numel}; }

template <bool Log> bool forward(std::int64_t dim, const KernelArgs& k) {
  if (!all_dense(k)) return false;
  const cpu::SoftmaxShape s = dense_shape(k.out[0], dim);
  if (k.out[0].dtype == DType::f64) {
    cpu::softmax(s, Log, data_as<const double>(k.in[0]), data_as<double>(k.out[0]));
    return true;
  }
  const kernel::FloatInput x = as_floats(k.in[0]);
  const kernel::FloatOutput y(k.out[0]);
  cpu::softmax(s, Log, x.data(), y.data());
  y.store();
  return true;
}

template <bool Log> bool backward(std::int64_t dim, const KernelArgs& k) {
  if (!all_dense(k)) return false;
  const cpu::SoftmaxShape s = dense_shape(k.out[0], dim);
  if (k.out[0].dtype == DType::f64) {
    cpu::softmax_backward(s, Log, data_as<const double>(k.in[0]), data_as<const double>(k.in[1]),
                          data_as<double>(k.out[0]));
    return true;
  }
  const kernel::FloatInput g = as_floats(k.in[0]), y = as_floats(k.in[1]);
  const kernel::FloatOutput out(k.out[0]);
  cpu::softmax_backward(s, Log, g.data(), y.data(), out.data());
  out.store();
  return true;
}

}  // namespace

template <> bool cpu_kernel(const Softmax<false>& o, const KernelArgs& k) {
  return forward<false>(o.dim, k);
}
template <> bool cpu_kernel(const Softmax<true>& o, const KernelArgs& k) {
  return forward<true>(o.dim, k);
}
template <> bool cpu_kernel(const SoftmaxBackward<false>& o, const KernelArgs& k) {
  return backward<false>(o.dim, k);
}
template <> bool cpu_kernel(const SoftmaxBackward<true>& o, const KernelArgs& k) {
  return backward<true>(o.dim, k);
}

}  // namespace taper
