// Layer, group and RMS normalization of f32: statistics per group, normalization, and gradients.
#pragma once
#include <cstdint>

namespace taper::cpu {

/// Row-major data as (samples, groups, channels, space). A row consists of the channels and space
/// of one group, whose elements share statistics. Weight and bias have a value for each of
/// groups * channels.
struct GroupShape {
  std::int64_t samples = 0, groups = 1, channels = 1, space = 1;
  std::int64_t rows() const { return samples * groups; }
  std::int64_t row_size() const { return channels * space; }
  std::int64_t parameters() const { return groups * channels; }
};

/// Computes y = (x - mean) * rstd * weight + bias, with the statistics of each row, which it also
/// returns: the mean and rstd = 1 / sqrt(var + eps). If `mean` is null, computes
/// y = x * rstd * weight + bias with rstd = 1 / sqrt(mean(x^2) + eps). weight and bias may be null
/// (1 and 0).
void group_normalize(const GroupShape& s, double eps, const float* x, const float* weight,
                     const float* bias, float* y, float* mean, float* rstd);

/// Computes the gradients of group_normalize, including those through the statistics. mean and
/// weight may be null as above. Each of dx, dweight and dbias may be null; a null gradient is not
/// computed.
void group_normalize_backward(const GroupShape& s, const float* x, const float* dy,
                              const float* mean, const float* rstd, const float* weight, float* dx,
                              float* dweight, float* dbias);

}  // namespace taper::cpu
