#include "cpu/softmax/softmax.h"
#include "ops/copy/copy_kernel.h"
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
  return k.out[0].dtype == DType::f64 || k.out[0].dtype == DType::f32;
}

template <class T> T* data_as(const View& v) { return reinterpret_cast<T*>(v.data); }

template <class T> void run_forward(const cpu::SoftmaxShape& s, bool log, const KernelArgs& k) {
  cpu::softmax(s, log, data_as<const T>(k.in[0]), data_as<T>(k.out[0]));
}
template <bool Log> bool forward(std::int64_t dim, const KernelArgs& k) {
  if (!all_dense(k)) return false;
  const cpu::SoftmaxShape s = dense_shape(k.out[0], dim);
  k.out[0].dtype == DType::f64 ? run_forward<double>(s, Log, k) : run_forward<float>(s, Log, k);
  return true;
}

template <class T> void run_backward(const cpu::SoftmaxShape& s, bool log, const KernelArgs& k) {
  cpu::softmax_backward(s, log, data_as<const T>(k.in[0]), data_as<const T>(k.in[1]),
                        data_as<T>(k.out[0]));
}
template <bool Log> bool backward(std::int64_t dim, const KernelArgs& k) {
  if (!all_dense(k)) return false;
  const cpu::SoftmaxShape s = dense_shape(k.out[0], dim);
  k.out[0].dtype == DType::f64 ? run_backward<double>(s, Log, k) : run_backward<float>(s, Log, k);
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
