// Two-dimensional pooling of f32 with PyTorch's rules, channels-last or plain, and its gradients.
#pragma once
#include <cstdint>

namespace taper::backend {

/// Shapes and attributes. The output's extents are the caller's: `ceil_mode` is in them.
struct Pool2d {
  std::int64_t n = 0, c = 0, h = 0, w = 0;  ///< input
  std::int64_t ho = 0, wo = 0;              ///< output
  std::int64_t kh = 1, kw = 1, sh = 1, sw = 1, ph = 0, pw = 0, dh = 1, dw = 1;
  bool channels_last = true;  ///< (N, H, W, C) or (N, C, H, W), dense
};

/// y = the largest element of each window; the first of equal ones, any NaN before all. `indices`,
/// laid out as y, gets where it was, as h * W + w in its plane (-1 for a window outside of the
/// input); null when not wanted.
void max_pool2d(const Pool2d& p, const float* x, float* y, std::int64_t* indices);

/// The same, with the place as the number of the window's element, row by row: one byte each (255
/// for a window outside of the input). Only for windows of at most 255 elements.
void max_pool2d(const Pool2d& p, const float* x, float* y, std::uint8_t* taps);

/// dx from dy and what the forward pass gave; gradients of overlapping windows are summed.
void max_pool2d_backward(const Pool2d& p, const float* dy, const std::int64_t* indices, float* dx);
void max_pool2d_backward(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx);

/// How averages are divided.
struct AvgRule {
  bool count_include_pad = true;
  std::int64_t divisor_override = 0;  ///< 0: none
};

/// y = the mean of each window. Dilation must be 1.
void avg_pool2d(const Pool2d& p, const AvgRule& rule, const float* x, float* y);
void avg_pool2d_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx);

}  // namespace taper::backend
