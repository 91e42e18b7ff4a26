// Two-dimensional pooling of f32 with PyTorch's rules, channels-last or row-major, and its
// gradients.
#pragma once
#include <cstdint>

namespace taper::cpu {

/// Shapes and attributes. The caller computes the output size, which accounts for `ceil_mode`.
struct Pool2d {
  std::int64_t n = 0, c = 0, h = 0, w = 0;  ///< sizes of the input
  std::int64_t ho = 0, wo = 0;              ///< height and width of the output
  /// Kernel size, stride, padding and dilation.
  std::int64_t kh = 1, kw = 1, sh = 1, sw = 1, ph = 0, pw = 0, dh = 1, dw = 1;
  bool channels_last = true;  ///< (N, H, W, C) or (N, C, H, W), dense
  /// Regions that divide the input evenly instead of windows; kh and kw are their largest sizes.
  bool adaptive = false;
};

/// Computes y, the maximum of each window, which is NaN if the window contains NaN. If `indices` is
/// not null, it receives, in the layout of y, the position h * W + w in its plane of the first
/// maximum (of the last NaN if the window contains NaN), or -1 for a window outside of the input.
void max_pool2d(const Pool2d& p, const float* x, float* y, std::int64_t* indices);

/// As the overload above, with positions as row-major indices within the window, one byte each, and
/// 255 for a window outside of the input. Windows must have at most 255 elements.
void max_pool2d(const Pool2d& p, const float* x, float* y, std::uint8_t* taps);

/// Computes dx from dy and the positions of the forward pass. Gradients of overlapping windows are
/// summed.
void max_pool2d_backward(const Pool2d& p, const float* dy, const std::int64_t* indices, float* dx);
void max_pool2d_backward(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx);

/// Rule for the divisor of averages.
struct AvgRule {
  bool count_include_pad = true;
  std::int64_t divisor_override = 0;  ///< 0 for none
};

/// Computes y, the mean of each window. Dilation must be 1.
void avg_pool2d(const Pool2d& p, const AvgRule& rule, const float* x, float* y);
void avg_pool2d_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx);

}  // namespace taper::cpu
