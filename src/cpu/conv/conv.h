// Convolutions of f32 and their gradients, over channels-last activations and row-major weights.
#pragma once
#include <array>
#include <cstdint>

#include "cpu/conv/prepacked_weights.h"

namespace taper::cpu {

/// Shapes and attributes of a convolution over 1 to 3 spatial dimensions; arrays use the first
/// `spatial` entries. Activations are dense (N, spatial..., C), weights dense (O, C / groups,
/// kernel...).
struct ConvParams {
  int spatial = 2;
  std::int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  std::array<std::int64_t, 3> input{1, 1, 1}, kernel{1, 1, 1}, output{1, 1, 1};
  std::array<std::int64_t, 3> stride{1, 1, 1}, dilation{1, 1, 1};
  /// Padding before and after the input.
  std::array<std::int64_t, 3> padding{0, 0, 0}, padding_end{0, 0, 0};
};

/// Returns the output size along spatial dimension `i`.
inline std::int64_t conv_output_size(const ConvParams& c, int i) {
  const auto at = static_cast<std::size_t>(i);
  const std::int64_t reach = c.dilation[at] * (c.kernel[at] - 1) + 1;
  return (c.input[at] + c.padding[at] + c.padding_end[at] - reach) / c.stride[at] + 1;
}

/// Computes y = x * w + bias. `bias` (O) may be null. If `cache` is not null, the packed weights
/// are cached there; otherwise they are packed in each call.
void conv_forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
                  PrepackedWeightCache* cache = nullptr);

/// Computes dx, the gradient of x, from dy. `cache` is used as in `conv_forward`.
void conv_backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                        PrepackedWeightCache* cache = nullptr);

/// Computes dw, the gradient of w, and db, the gradient of the bias, from x and dy. db may be null.
void conv_backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw,
                           float* db);

/// Returns the name of the algorithm that these functions try first.
const char* conv_algorithm(const ConvParams& c);

/// Algorithms: native kernels for few channels, the Winograd algorithm, kernels for groups of few
/// channels, and matrix products of columns, which support every convolution.
namespace conv_native {
/// Returns true if the native kernels support the convolution: two spatial dimensions, no groups,
/// no dilation along width.
bool is_supported(const ConvParams& c);
void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* cache);
void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* cache);
void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db);
}  // namespace conv_native

namespace conv_winograd {
/// Returns true if the convolution is two-dimensional, with a 3x3 kernel, stride 1, no dilation, no
/// groups, padding of at most 2, and multiples of 16 channels.
bool is_supported(const ConvParams& c);
// The transforms spread a number that is not finite over all results of its tile. These functions
// return false if there may be such results, which another algorithm has to compute.
bool forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* cache);
bool backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* cache);
bool backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db);
}  // namespace conv_winograd

namespace conv_grouped {
/// Returns true for groups of at most 64 channels of the input and of the output.
bool is_supported(const ConvParams& c);
void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* cache);
void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* cache);
void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db);
}  // namespace conv_grouped

namespace conv_columns {
void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* cache);
void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* cache);
void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db);
}  // namespace conv_columns

}  // namespace taper::cpu
