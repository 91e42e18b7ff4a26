// Batch normalisation of f32: statistics per channel, the normalisation, and both gradients.
#pragma once
#include <cstdint>

namespace taper::backend {

/// Activations as (N, space, C) or (N, C, space), dense.
struct ChannelShape {
  std::int64_t n = 0, c = 0, space = 1;
  bool channels_last = true;
};

/// mean (C) and biased variance (C) of each channel, by blocks of two passes merged in double: one
/// read of memory, no cancellation. Zeros when there is nothing to sum.
void channel_stats(const ChannelShape& s, const float* x, float* mean, float* variance);

/// invstd = 1 / sqrt(variance + eps), (C).
void inverse_std(std::int64_t c, const float* variance, double eps, float* invstd);

/// y = (x - mean) * invstd * weight + bias; weight and bias (C) may be null (1 and 0). y may be x.
void channel_normalize(const ChannelShape& s, const float* x, const float* mean,
                       const float* invstd, const float* weight, const float* bias, float* y);

/// Gradients of the normalisation; `training`: mean and invstd are statistics of x itself, and
/// their part is in dx. Each of dx, dweight and dbias may be null. dx may be dy.
void channel_normalize_backward(const ChannelShape& s, bool training, const float* x,
                                const float* dy, const float* mean, const float* invstd,
                                const float* weight, float* dx, float* dweight, float* dbias);

}  // namespace taper::backend
