#include <algorithm>

#include "cpu/scratch.h"
#include "cpu/softmax/softmax.h"
#include "cpu/threads.h"
#include "ops/copy/copy_kernel.h"
#include "ops/kernel/narrow_values.h"
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
  return true;
}

/// Calls f(shape, values) for blocks of rows of 16-bit floats, which are f32 in the cache:
/// `values` are the rows of each input, of which f replaces the first by the result. Returns false
/// for slices that are not rows.
template <class F> bool for_blocks_in_f32(const cpu::SoftmaxShape& s, const KernelArgs& k, F f) {
  constexpr std::int64_t kElements = 8192;
  const kernel::Conversions conversions(k.out[0].dtype);
  if (s.inner != 1 || s.size < 1 || !conversions) return false;
  const std::int64_t rows_each = std::max<std::int64_t>(1, kElements / s.size);
  cpu::parallel_for(0, s.outer, rows_each, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t capacity = std::min(rows_each, end - begin) * s.size;
    const cpu::Scratch memory(k.in.size() * static_cast<std::size_t>(capacity) * sizeof(float));
    float* const values[] = {memory.as<float>(), memory.as<float>() + capacity};
    for (; begin < end; begin += rows_each) {
      const cpu::SoftmaxShape block{std::min(rows_each, end - begin), s.size};
      const std::int64_t first = begin * s.size, n = block.outer * s.size;
      for (std::size_t i = 0; i < k.in.size(); ++i) conversions.read(k.in[i], first, values[i], n);
      f(block, values);
      conversions.write(k.out[0], first, values[0], n);
    }
  });
  return true;
}

template <class T> T* data_as(const View& v) { return reinterpret_cast<T*>(v.data); }

template <class T> void run_forward(const cpu::SoftmaxShape& s, bool log, const KernelArgs& k) {
  cpu::softmax(s, log, data_as<const T>(k.in[0]), data_as<T>(k.out[0]));
}
template <bool Log> bool forward(std::int64_t dim, const KernelArgs& k) {
  if (!all_dense(k)) return false;
  const cpu::SoftmaxShape s = dense_shape(k.out[0], dim);
  switch (k.out[0].dtype) {
    case DType::f64: run_forward<double>(s, Log, k); return true;
    case DType::f32: run_forward<float>(s, Log, k); return true;
    default:
      return for_blocks_in_f32(s, k, [](const cpu::SoftmaxShape& block, float* const* values) {
        cpu::softmax(block, Log, values[0], values[0]);
      });
  }
}

template <class T> void run_backward(const cpu::SoftmaxShape& s, bool log, const KernelArgs& k) {
  cpu::softmax_backward(s, log, data_as<const T>(k.in[0]), data_as<const T>(k.in[1]),
                        data_as<T>(k.out[0]));
}
template <bool Log> bool backward(std::int64_t dim, const KernelArgs& k) {
  if (!all_dense(k)) return false;
  const cpu::SoftmaxShape s = dense_shape(k.out[0], dim);
  switch (k.out[0].dtype) {
    case DType::f64: run_backward<double>(s, Log, k); return true;
    case DType::f32: run_backward<float>(s, Log, k); return true;
    default:
      return for_blocks_in_f32(s, k, [](const cpu::SoftmaxShape& block, float* const* values) {
        cpu::softmax_backward(block, Log, values[0], values[1], values[0]);
      });
  }
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
