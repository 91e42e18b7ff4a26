// Batch normalization of f32: statistics per channel, normalization, and its gradients.
#pragma once
#include <cstdint>

namespace taper::cpu {

/// Activations as dense (N, space, C) or (N, C, space).
struct ChannelShape {
  std::int64_t n = 0, c = 0, space = 1;
  bool channels_last = true;
};

/// Computes mean (C) and biased variance (C) of each channel in blocks of two passes that are
/// merged in double, which reads memory once and avoids cancellation, or in double where squares
/// leave the range of float. Sets both to 0 for an empty input.
void channel_stats(const ChannelShape& s, const float* x, float* mean, float* variance);

/// Computes invstd (C) = 1 / sqrt(variance + eps).
void inverse_std(std::int64_t c, const float* variance, double eps, float* invstd);

/// Computes y = (x - mean) * invstd * weight + bias. weight and bias (C) may be null (1 and 0). y
/// may be x.
void channel_normalize(const ChannelShape& s, const float* x, const float* mean,
                       const float* invstd, const float* weight, const float* bias, float* y);

/// Computes the gradients of the normalization. If `training` is true, mean and invstd are
/// statistics of x, and dx includes their gradient. weight may be null (1). Each of dx, dweight and
/// dbias may be null; a null gradient is not computed. dx may be dy.
void channel_normalize_backward(const ChannelShape& s, bool training, const float* x,
                                const float* dy, const float* mean, const float* invstd,
                                const float* weight, float* dx, float* dweight, float* dbias);

}  // namespace taper::cpu
