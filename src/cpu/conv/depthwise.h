// Parts of depthwise convolutions.
#pragma once
#include <cstdint>
#include <vector>

namespace taper::cpu::conv_depthwise {

/// What some output pixels read: pixels of the input and kernel positions, without the padding.
/// Entries [first[i], first[i + 1]) belong to output pixel i.
struct Taps {
  std::vector<std::int64_t> first, input, tap;
};

/// Operands of a kernel: activations and gradients (pixels, C), from the first output pixel of the
/// taps on; weights and their gradient (kernel positions, C).
struct DepthwiseArgs {
  const Taps* taps;
  std::int64_t channels;
  const float *x, *weights, *bias, *dy;
  float *y, *dx, *dw;
};

/// Computes y = sum of x * weights, plus the bias unless it is null.
void forward_pixels(const DepthwiseArgs& a);
/// Adds dy * weights to dx.
void backward_data_pixels(const DepthwiseArgs& a);
/// Adds x * dy to dw.
void backward_weights_pixels(const DepthwiseArgs& a);

}  // namespace taper::cpu::conv_depthwise
