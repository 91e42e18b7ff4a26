// Softmax over plain memory: [outer, size, inner], over the middle.
#pragma once
#include <cstdint>

namespace taper::backend {

struct SoftmaxShape {
  std::int64_t outer = 1, size = 1, inner = 1;
};

/// y = softmax(x), or its logarithm, along `size`; y may be x. T is float or double. A line whose
/// largest element is -infinity or NaN gives NaN.
template <class T> void softmax(const SoftmaxShape& shape, bool log, const T* x, T* y);

/// The gradient of x from that of y (`g`) and the result `y`.
template <class T>
void softmax_backward(const SoftmaxShape& shape, bool log, const T* g, const T* y, T* out);

}  // namespace taper::backend
