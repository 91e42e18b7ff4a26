// Distributions that consume a variable number of uniforms, such as rejection sampling.
#include <math.h>  // lgamma_r, because lgamma writes a global variable

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random/elements.h"

namespace taper::random {
namespace {

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// W. Hoermann, "The transformed rejection method for generating Poisson random variables" (1993),
// algorithm PTRS.
double poisson_rejection(Engine& engine, double rate) {
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_limit = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = engine.uniform53() - 0.5, v = engine.uniform53();
    const double w = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / w + b) * u + rate + 0.43);
    if (w >= 0.07 && v <= v_limit) return k;
    if (k < 0 || (w < 0.013 && v > w)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (w * w) + b) <=
        -rate + k * log_rate - log_gamma(k + 1))
      return k;
  }
}

double normal_cdf(double x) { return (1 + std::erf(x / std::sqrt(2.0))) / 2; }

/// Fills with normals, then replaces the elements outside of [low, high] with those of another full
/// fill until all elements are inside.
template <class T> struct TruncNormalResampling {
  Engine& engine;
  std::int64_t n;
  double mean, std, low, high;

  void operator()(T* x) {
    const auto first = static_cast<Wide<T>>(to_element<T>(low));
    const auto last = static_cast<Wide<T>>(to_element<T>(high));
    const auto outside = [&](T v) {
      const auto w = static_cast<Wide<T>>(v);
      return w < first || w > last;
    };
    const auto size = static_cast<std::size_t>(n);
    fill_normal(engine, Target(std::span<T>(x, size)), mean, std);
    std::vector<T> resampled;
    for (;;) {
      bool any = false;
      for (std::int64_t i = 0; i < n && !any; ++i) any = outside(x[i]);
      if (!any) return;
      resampled.resize(size);
      fill_normal(engine, Target(std::span<T>(resampled)), mean, std);
      for (std::size_t i = 0; i < size; ++i)
        if (outside(x[i])) x[i] = resampled[i];
    }
  }
};

/// Moves bounds to where the density falls below the resolution of a probability if they are more
/// than `max_excess` times as far from the mode.
void limit_bounds(double mean, double std, double& low, double& high, double max_excess) {
  constexpr double kLogResolution = 54 * 0.6931471805599453;
  const double mode = std::clamp(mean, low, high), distance = std::abs(mode - mean) / std;
  const double reach =
      std * (2 * kLogResolution / (std::sqrt(2 * kLogResolution + distance * distance) + distance));
  if (high - mode > max_excess * reach) high = mode + reach;
  if (mode - low > max_excess * reach) low = mode - reach;
}

/// Rejection sampling: draws uniforms in [low, high] and accepts each with a probability
/// proportional to the density. Every step rounds to the element type, as in PyTorch, which draws
/// for all elements until the last is accepted. Elements that are not accepted within a number of
/// rounds are drawn one by one in double, because few candidates, or none after rounding, may be
/// accepted.
template <class T> struct TruncNormalRejection {
  Engine& engine;
  std::int64_t n;
  double mean, std, low, high;

  void operator()(T* x) {
    using W = Wide<T>;
    const double mode = mean < low ? low : mean > high ? high : mean;
    const double peak = -0.5 * ((mode - mean) / std) * ((mode - mean) / std);
    const auto rejected = [&, m = static_cast<W>(mean), s = static_cast<W>(std),
                           p = static_cast<W>(peak)](T value, T chance) {
      const W d = round_to<T>(round_to<T>(static_cast<W>(value) - m) / s);
      const W exponent = round_to<T>(round_to<T>(round_to<T>(d * d) * W(-0.5)) - p);
      return round_to<T>(std::log(static_cast<W>(chance))) > exponent;
    };
    const auto size = static_cast<std::size_t>(n);
    std::vector<T> candidate(size), chance(size);
    std::vector<char> pending(size, 1);
    bool any = n > 0;
    constexpr std::int64_t kMinRounds = 64, kMaxRounds = 1 << 17, kMaxDraws = 1 << 25;
    const std::int64_t max_rounds = any ? std::clamp(kMaxDraws / n, kMinRounds, kMaxRounds) : 0;
    for (std::int64_t round = 0; any && round < max_rounds; ++round) {
      any = false;
      fill_uniform(engine, Target(std::span<T>(candidate)), low, high);
      fill_uniform(engine, Target(std::span<T>(chance)), 0, 1);
      for (std::size_t i = 0; i < size; ++i) {
        if (!pending[i]) continue;
        x[i] = candidate[i];
        pending[i] = rejected(x[i], chance[i]);
        any = any || pending[i];
      }
    }
    if (!any) return;
    limit_bounds(mean, std, low, high, 1);
    for (std::size_t i = 0; i < size; ++i)
      if (pending[i]) x[i] = to_element<T>(draw_in_double(mode));
  }

 private:
  double draw_in_double(double mode) {
    for (;;) {
      const double value = low + (high - low) * engine.uniform53();
      if (value == mode) return value;
      // The logarithm of the density relative to that of the mode.
      const double exponent =
          -0.5 * ((value - mode) / std) * ((value - mean) / std + (mode - mean) / std);
      if (!(std::log(engine.uniform53()) > exponent)) return value;
    }
  }
};

}  // namespace

double poisson(Engine& engine, double rate) {
  if (rate >= 10) return poisson_rejection(engine, rate);
  if (rate == 0) return 0;
  const double end = std::exp(-rate);
  double product = 1, k = -1;
  do {
    product *= engine.uniform53();
    k += 1;
  } while (product > end);
  return k;
}

double standard_gamma(Engine& engine, double alpha) {
  double scale = 1;
  if (alpha < 1) {
    scale = std::pow(1 - engine.uniform53(), 1 / alpha);
    alpha += 1;
  }
  const double d = alpha - static_cast<double>(1.0f / 3.0f), c = 1 / std::sqrt(9 * d);
  for (;;) {
    double x = 0, y = 0;
    do {
      x = engine.normal();
      y = 1 + c * x;
    } while (y <= 0);
    const double v = y * y * y, u = 1 - engine.uniform53(), xx = x * x;
    if (u < 1 - 0.0331 * xx * xx || std::log(u) < 0.5 * xx + d * (1 - v + std::log(v)))
      return scale * d * v;
  }
}

void fill_poisson(Engine& engine, Target out, Source rates) {
  visit_floating("poisson", out, [&]<class T>(T* data) {
    const auto* rate = static_cast<const T*>(rates);
    for (std::int64_t i = 0; i < out.size; ++i)
      data[i] = to_element<T>(poisson(engine, static_cast<double>(static_cast<Wide<T>>(rate[i]))));
  });
}

void fill_standard_gamma(Engine& engine, Target out, Source alphas) {
  visit_floating("standard_gamma", out, [&]<class T>(T* data) {
    const auto* alpha = static_cast<const T*>(alphas);
    for (std::int64_t i = 0; i < out.size; ++i)
      data[i] = to_element<T>(
          standard_gamma(engine, static_cast<double>(static_cast<Wide<T>>(alpha[i]))));
  });
}

void fill_trunc_normal(Engine& engine, Target out, double mean, double std, double low,
                       double high) {
  const double acceptance = normal_cdf((high - mean) / std) - normal_cdf((low - mean) / std);
  visit_floating("trunc_normal_", out, [&]<class T>(T* data) {
    if (acceptance > 0.3) {
      TruncNormalResampling<T>{engine, out.size, mean, std, low, high}(data);
    } else {
      limit_bounds(mean, std, low, high, 1e4);
      TruncNormalRejection<T>{engine, out.size, mean, std, low, high}(data);
    }
  });
}

}  // namespace taper::random
