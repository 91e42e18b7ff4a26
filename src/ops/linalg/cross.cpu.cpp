#include "ops/linalg/cross.h"

#include <algorithm>

#include "cpu/threads.h"

namespace taper {
namespace {

/// Products of vectors whose components are `inner` elements apart.
template <class T>
void multiply_vectors(const T* x, const T* y, T* out, std::int64_t outer, std::int64_t inner) {
  const std::int64_t size = 3 * inner;
  cpu::parallel_for(0, outer, 1 + 8192 / size, [&](std::int64_t begin, std::int64_t end) {
    if (inner == 1) {
      for (std::int64_t i = 3 * begin; i < 3 * end; i += 3) {
        const T a0 = x[i], a1 = x[i + 1], a2 = x[i + 2], b0 = y[i], b1 = y[i + 1], b2 = y[i + 2];
        out[i] = a1 * b2 - a2 * b1;
        out[i + 1] = a2 * b0 - a0 * b2;
        out[i + 2] = a0 * b1 - a1 * b0;
      }
      return;
    }
    for (std::int64_t v = begin; v < end; ++v)
      for (std::int64_t c = 0; c < 3; ++c) {
        const std::int64_t at = v * size, p = at + (c + 1) % 3 * inner,
                           q = at + (c + 2) % 3 * inner;
        for (std::int64_t j = 0; j < inner; ++j)
          out[at + c * inner + j] = x[p + j] * y[q + j] - x[q + j] * y[p + j];
      }
  });
}

}  // namespace

template <> bool cpu_kernel(const LinalgCross& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.in[1], &out = k.out[0];
  if (!is_contiguous(x) || !is_contiguous(y) || !is_contiguous(out)) return false;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < out.shape->size(); ++d) {
    if (static_cast<std::int64_t>(d) < o.dim) outer *= (*out.shape)[d];
    if (static_cast<std::int64_t>(d) > o.dim) inner *= (*out.shape)[d];
  }
  if (out.numel == 0) return true;
  const auto multiply = [&]<class T>(T) {
    multiply_vectors(reinterpret_cast<const T*>(x.data), reinterpret_cast<const T*>(y.data),
                     reinterpret_cast<T*>(out.data), outer, inner);
    return true;
  };
  if (out.dtype == DType::f32) return multiply(float{});
  if (out.dtype == DType::f64) return multiply(double{});
  return false;
}

}  // namespace taper
