#include "cpu/norm/batch_norm.h"

#include <algorithm>
#include <cmath>

#include "cpu/scratch.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/norm/batch_norm.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/norm/planes-inl.h"
#include "cpu/norm/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
void stats(const ChannelShape& s, const float* x, float* mean, float* variance) {
  if (s.channels_last)
    rows_stats(s, x, mean, variance);
  else
    planes_stats(s, x, mean, variance);
}
void normalize(const ChannelShape& s, const float* x, const float* mean, const float* scale,
               const float* bias, float* y) {
  if (s.channels_last)
    rows_normalize(s, x, mean, scale, bias, y);
  else
    planes_normalize(s, x, mean, scale, bias, y);
}
void gradient_sums(const ChannelShape& s, const float* x, const float* dy, const float* mean,
                   double* sums) {
  if (s.channels_last)
    rows_gradient_sums(s, x, dy, mean, sums);
  else
    planes_gradient_sums(s, x, dy, mean, sums);
}
void gradient(const ChannelShape& s, const float* x, const float* dy, const float* mean,
              const float* k0, const float* k1, const float* k2, float* dx) {
  if (s.channels_last)
    rows_gradient(s, x, dy, mean, k0, k1, k2, dx);
  else
    planes_gradient(s, x, dy, mean, k0, k1, k2, dx);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(stats);
HWY_EXPORT(normalize);
HWY_EXPORT(gradient_sums);
HWY_EXPORT(gradient);

void channel_stats(const ChannelShape& s, const float* x, float* mean, float* variance) {
  if (s.c == 0) return;
  if (s.n * s.space == 0) {
    std::fill_n(mean, s.c, 0.0f);
    std::fill_n(variance, s.c, 0.0f);
    return;
  }
  HWY_DYNAMIC_DISPATCH(stats)(s, x, mean, variance);
}

void inverse_std(std::int64_t c, const float* variance, double eps, float* invstd) {
  for (std::int64_t j = 0; j < c; ++j)
    invstd[j] = static_cast<float>(1.0 / std::sqrt(static_cast<double>(variance[j]) + eps));
}

void channel_normalize(const ChannelShape& s, const float* x, const float* mean,
                       const float* invstd, const float* weight, const float* bias, float* y) {
  if (s.c == 0 || s.n * s.space == 0) return;
  const Scratch scratch(static_cast<std::size_t>(s.c) * sizeof(float));
  float* const scale = scratch.as<float>();
  for (std::int64_t j = 0; j < s.c; ++j)
    scale[j] = weight != nullptr ? invstd[j] * weight[j] : invstd[j];
  HWY_DYNAMIC_DISPATCH(normalize)(s, x, mean, scale, bias, y);
}

namespace {

/// Computes the sums of dy and dy * (x - mean) of one channel in double.
void double_gradient_sums(const ChannelShape& s, std::int64_t channel, const float* x,
                          const float* dy, float mean, double& sum, double& product) {
  sum = product = 0;
  for (std::int64_t i = 0; i < s.n * s.space; ++i) {
    const std::int64_t at =
        s.channels_last ? i * s.c + channel : (i / s.space * s.c + channel) * s.space + i % s.space;
    sum += static_cast<double>(dy[at]);
    product +=
        static_cast<double>(dy[at]) * (static_cast<double>(x[at]) - static_cast<double>(mean));
  }
}

}  // namespace

void channel_normalize_backward(const ChannelShape& s, bool training, const float* x,
                                const float* dy, const float* mean, const float* invstd,
                                const float* weight, float* dx, float* dweight, float* dbias) {
  if (s.c == 0) return;
  const std::size_t c = static_cast<std::size_t>(s.c);
  const Scratch scratch(c * (2 * sizeof(double) + 3 * sizeof(float)));
  double* const sums = scratch.as<double>();
  float* const k = reinterpret_cast<float*>(sums + 2 * c);
  const bool some = s.n * s.space > 0;
  std::fill_n(sums, 2 * c, 0.0);
  if (some && (training || dweight != nullptr || dbias != nullptr))
    HWY_DYNAMIC_DISPATCH(gradient_sums)(s, x, dy, mean, sums);
  const double count = static_cast<double>(s.n * s.space);
  for (std::size_t j = 0; j < c; ++j) {
    const double inverse = static_cast<double>(invstd[j]);
    if (!std::isfinite(sums[j] + sums[c + j]))
      double_gradient_sums(s, static_cast<std::int64_t>(j), x, dy, mean[j], sums[j], sums[c + j]);
    if (dweight != nullptr) dweight[j] = static_cast<float>(sums[c + j] * inverse);
    if (dbias != nullptr) dbias[j] = static_cast<float>(sums[j]);
    const double scale = inverse * (weight != nullptr ? static_cast<double>(weight[j]) : 1.0);
    // The scale is the last factor: the inverse cube of a moderate deviation leaves the range.
    k[j] = static_cast<float>(scale);
    k[c + j] = training ? static_cast<float>(-sums[c + j] * inverse * inverse / count) : 0.0f;
    k[2 * c + j] = training ? static_cast<float>(-sums[j] / count) : 0.0f;
  }
  // Given statistics do not depend on x, which may be infinite.
  if (some && dx != nullptr) HWY_DYNAMIC_DISPATCH(gradient)
  (s, training ? x : nullptr, dy, mean, k, k + c, k + 2 * c, dx);
}

}  // namespace taper::cpu
#endif
