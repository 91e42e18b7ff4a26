// Softmax over the middle dimension of row-major memory: [outer, size, inner].
#pragma once
#include <cstdint>

namespace taper::cpu {

struct SoftmaxShape {
  std::int64_t outer = 1, size = 1, inner = 1;
};

/// Computes y = softmax(x) or log_softmax(x) along `size`. y may be x. T is float or double. A
/// slice that contains NaN or whose maximum is infinite results in NaN.
template <class T> void softmax(const SoftmaxShape& shape, bool log, const T* x, T* y);

/// Computes `out`, the gradient of x, from the gradient `g` of y and the result `y`. `out` may be
/// `g` or `y`.
template <class T>
void softmax_backward(const SoftmaxShape& shape, bool log, const T* g, const T* y, T* out);

}  // namespace taper::cpu
