#include "cpu/norm/group_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/scratch.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/norm/group_norm.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/norm/elements-inl.h"
#include "cpu/norm/sums-inl.h"
#include "cpu/row_output.h"
#include "cpu/threads.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kBlock = kBlockFloats / 2;  // two operands fit in the first-level cache
constexpr double kSmallest = std::numeric_limits<float>::min();

/// Calls f(offset, size) for the blocks of `count` elements.
template <class F> HWY_INLINE void blocks(std::int64_t count, F&& f) {
  for (std::int64_t o = 0; o < count; o += kBlock) f(o, std::min(kBlock, count - o));
}

HWY_INLINE double sum_of_squares(const float* x, std::int64_t count) {
  double total = 0;
  blocks(count, [&](std::int64_t o, std::int64_t size) HWY_ATTR {
    double unused, squares;
    sum_plane(size, unused, squares, [&](std::int64_t i, std::size_t n, V&, V& q) HWY_ATTR {
      const V v = load_lanes(x + o + i, n);
      q = hn::MulAdd(v, v, q);
    });
    total += squares;
  });
  return total;
}

/// As row_stats, in double.
HWY_NOINLINE void double_row_stats(const float* x, std::int64_t size, bool centered, double& mean,
                                   double& variance) {
  const double count = static_cast<double>(size);
  double squares = 0;
  if (centered)
    double_moments(
        count, [&](auto&& add) { std::for_each_n(x, size, add); }, mean, squares);
  else
    std::for_each_n(x, size,
                    [&](float v) { squares += static_cast<double>(v) * static_cast<double>(v); });
  variance = squares / count;
}

/// Computes the mean and the biased variance of a row, to which eps is added; without centering, 0
/// and the mean square.
HWY_INLINE void row_stats(const float* x, std::int64_t count, double eps, bool centered,
                          double& mean, double& variance) {
  double before = 0, squares = 0;
  mean = 0;
  if (centered)
    blocks(count, [&](std::int64_t o, std::int64_t size) {
      add_block_moments(x + o, size, before, mean, squares);
    });
  else
    squares = sum_of_squares(x, count);
  variance = squares / static_cast<double>(count);
  // Squares that underflow matter only without eps.
  if (HWY_UNLIKELY(!(variance + eps >= kSmallest && std::isfinite(variance))))
    double_row_stats(x, count, centered, mean, variance);
}

/// Computes (x - mean) * scale + shift.
HWY_INLINE void scale_plane(std::int64_t count, const float* x, float mean, float scale,
                            float shift, float* y) {
  const V m = hn::Set(D(), mean), a = hn::Set(D(), scale), b = hn::Set(D(), shift);
  for_each_vector(count, [&](std::int64_t i, std::size_t n) HWY_ATTR {
    store_lanes(hn::MulAdd(hn::Sub(load_lanes(x + i, n), m), a, b), y + i, n);
  });
}

/// Computes (x - mean) * rstd * weight + bias with a weight and bias per element, which may be
/// null.
HWY_INLINE void scale_row(std::int64_t count, const float* x, float mean, float rstd,
                          const float* weight, const float* bias, float* y) {
  const V m = hn::Set(D(), mean), s = hn::Set(D(), rstd);
  for_each_vector(count, [&](std::int64_t i, std::size_t n) HWY_ATTR {
    V v = hn::Mul(hn::Sub(load_lanes(x + i, n), m), s);
    if (weight != nullptr) v = hn::Mul(v, load_lanes(weight + i, n));
    if (bias != nullptr) v = hn::Add(v, load_lanes(bias + i, n));
    store_lanes(v, y + i, n);
  });
}

/// As gradient_sums, in double.
HWY_NOINLINE void double_gradient_sums(const GroupShape& s, const float* x, const float* g,
                                       float mean, const float* weight, double& sum,
                                       double& product) {
  sum = product = 0;
  for (std::int64_t i = 0; i < s.row_size(); ++i) {
    const double factor = weight != nullptr ? static_cast<double>(weight[i / s.space]) : 1;
    const double term = static_cast<double>(g[i]) * factor;
    sum += term;
    product += term * (static_cast<double>(x[i]) - static_cast<double>(mean));
  }
}

/// Computes the sums of g * w and g * w * (x - mean) over a row.
HWY_INLINE void float_gradient_sums(const GroupShape& s, const float* x, const float* g, float mean,
                                    const float* weight, double& sum, double& product) {
  sum = product = 0;
  const V m = hn::Set(D(), mean);
  const auto add = [&](std::int64_t first, std::int64_t count, const float* w, double factor) {
    blocks(count, [&](std::int64_t o, std::int64_t size) HWY_ATTR {
      double block_sum, block_product;
      const std::int64_t at = first + o;
      sum_plane(
          size, block_sum, block_product,
          [&](std::int64_t i, std::size_t n, V & a, V & b) HWY_ATTR __attribute__((always_inline)) {
            V gv = load_lanes(g + at + i, n);
            if (w != nullptr) gv = hn::Mul(gv, load_lanes(w + o + i, n));
            a = hn::Add(a, gv);
            b = hn::MulAdd(gv, hn::Sub(load_lanes(x + at + i, n), m), b);
          });
      sum += factor * block_sum;
      product += factor * block_product;
    });
  };
  if (s.space == 1 || weight == nullptr) return add(0, s.row_size(), weight, 1);
  for (std::int64_t c = 0; c < s.channels; ++c)
    add(c * s.space, s.space, nullptr, static_cast<double>(weight[c]));
}

/// As float_gradient_sums, in double where a sum left the range of float.
HWY_INLINE void gradient_sums(const GroupShape& s, const float* x, const float* g, float mean,
                              const float* weight, double& sum, double& product) {
  float_gradient_sums(s, x, g, mean, weight, sum, product);
  if (HWY_UNLIKELY(!std::isfinite(sum + product)))
    double_gradient_sums(s, x, g, mean, weight, sum, product);
}

/// Computes dx = scale * (g * w - center + (x - mean) * slope) for a row. The center is subtracted
/// first, so that the gradient of a row of one element is exactly 0.
HWY_INLINE void row_gradient(const GroupShape& s, const float* x, const float* g, float mean,
                             const float* weight, float scale, float center, float slope,
                             float* dx) {
  const V m = hn::Set(D(), mean), a = hn::Set(D(), scale), b = hn::Set(D(), center),
          k = hn::Set(D(), slope);
  const auto write = [&](std::int64_t first, std::int64_t count, const float* w, float factor) {
    const V f = hn::Set(D(), factor);
    for_each_vector(count, [&](std::int64_t i, std::size_t n) HWY_ATTR {
      const V gv = hn::Mul(load_lanes(g + first + i, n), w != nullptr ? load_lanes(w + i, n) : f);
      const V d = hn::MulAdd(hn::Sub(load_lanes(x + first + i, n), m), k, hn::Sub(gv, b));
      store_lanes(hn::Mul(d, a), dx + first + i, n);
    });
  };
  if (s.space == 1 || weight == nullptr) return write(0, s.row_size(), weight, 1);
  for (std::int64_t c = 0; c < s.channels; ++c) write(c * s.space, s.space, nullptr, weight[c]);
}

/// Returns the minimum number of items of `size` elements per thread.
std::int64_t grain(std::int64_t size) {
  return 1 + kMinParallelWork / std::max<std::int64_t>(1, size);
}

/// Gradients of weight and bias if each parameter belongs to a plane of elements per sample.
void sum_planes(const GroupShape& s, const float* x, const float* dy, const float* mean,
                const float* rstd, float* dweight, float* dbias) {
  parallel_for(0, s.parameters(), grain(s.samples * s.space),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t p = begin; p < end; ++p) {
                   double weight = 0, bias = 0;
                   for (std::int64_t i = 0; i < s.samples; ++i) {
                     const std::int64_t row = i * s.groups + p / s.channels;
                     const std::int64_t at = (i * s.parameters() + p) * s.space;
                     const GroupShape plane{.samples = 1, .space = s.space};
                     double sum, product;
                     gradient_sums(plane, x + at, dy + at, mean != nullptr ? mean[row] : 0.0f,
                                   nullptr, sum, product);
                     weight += product * static_cast<double>(rstd[row]);
                     bias += sum;
                   }
                   if (dweight != nullptr) dweight[p] = static_cast<float>(weight);
                   if (dbias != nullptr) dbias[p] = static_cast<float>(bias);
                 }
               });
}

const float* of_row(const GroupShape& s, const float* parameters, std::int64_t row) {
  return parameters == nullptr ? nullptr : parameters + row % s.groups * s.channels;
}

}  // namespace

void normalize_groups(const GroupShape& s, double eps, const float* x, const float* weight,
                      const float* bias, float* y, float* mean, float* rstd) {
  const std::int64_t size = s.row_size();
  const RowOutput<float> output(y, s.rows(), size, y == x);
  parallel_for(0, s.rows(), grain(size), [&](std::int64_t begin, std::int64_t end) {
    HWY_ALIGN float buffer[RowOutput<float>::kMaxBuffered];
    for (std::int64_t row = begin; row < end; ++row) {
      const float* const from = x + row * size;
      double m, variance;
      row_stats(from, size, eps, mean != nullptr, m, variance);
      const float center = static_cast<float>(m);
      const float scale = static_cast<float>(1 / std::sqrt(variance + eps));
      if (mean != nullptr) mean[row] = center;
      rstd[row] = scale;
      const float *const w = of_row(s, weight, row), *const b = of_row(s, bias, row);
      float* const to = output.begin(row, buffer);
      if (s.space == 1)
        scale_row(size, from, center, scale, w, b, to);
      else
        for (std::int64_t c = 0; c < s.channels; ++c)
          scale_plane(s.space, from + c * s.space, center, w != nullptr ? scale * w[c] : scale,
                      b != nullptr ? b[c] : 0.0f, to + c * s.space);
      output.end(row, 1, to);
    }
    output.finish();
  });
}

void differentiate_groups(const GroupShape& s, const float* x, const float* dy, const float* mean,
                          const float* rstd, const float* weight, float* dx, float* dweight,
                          float* dbias) {
  const std::int64_t size = s.row_size();
  const RowOutput<float> output(dx, s.rows(), size, dx == x || dx == dy);
  const auto differentiate_row = [&](std::int64_t row) {
    if (dx == nullptr) return;
    const float *const from = x + row * size, *const g = dy + row * size;
    const float* const w = of_row(s, weight, row);
    const float center = mean != nullptr ? mean[row] : 0.0f;
    double sum, product;
    gradient_sums(s, from, g, center, w, sum, product);
    const double scale = static_cast<double>(rstd[row]), count = static_cast<double>(size);
    const double slope = -scale * scale * product / count;
    HWY_ALIGN float buffer[RowOutput<float>::kMaxBuffered];
    float* const to = output.begin(row, buffer);
    row_gradient(s, from, g, center, w, rstd[row],
                 mean != nullptr ? static_cast<float>(sum / count) : 0.0f,
                 static_cast<float>(slope), to);
    output.end(row, 1, to);
  };
  if (s.space == 1)
    return sum_elements(s, x, dy, mean, rstd, dweight, dbias, differentiate_row,
                        [&] { output.finish(); });
  if (dx != nullptr)
    parallel_for(0, s.rows(), grain(size), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) differentiate_row(row);
      output.finish();
    });
  if (dweight != nullptr || dbias != nullptr) sum_planes(s, x, dy, mean, rstd, dweight, dbias);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(normalize_groups);
HWY_EXPORT(differentiate_groups);

void group_normalize(const GroupShape& s, double eps, const float* x, const float* weight,
                     const float* bias, float* y, float* mean, float* rstd) {
  if (s.rows() == 0 || s.row_size() == 0) return;
  HWY_DYNAMIC_DISPATCH(normalize_groups)(s, eps, x, weight, bias, y, mean, rstd);
}

void group_normalize_backward(const GroupShape& s, const float* x, const float* dy,
                              const float* mean, const float* rstd, const float* weight, float* dx,
                              float* dweight, float* dbias) {
  if (s.rows() == 0 || s.row_size() == 0) {
    if (dweight != nullptr) std::fill_n(dweight, s.parameters(), 0.0f);
    if (dbias != nullptr) std::fill_n(dbias, s.parameters(), 0.0f);
    return;
  }
  HWY_DYNAMIC_DISPATCH(differentiate_groups)(s, x, dy, mean, rstd, weight, dx, dweight, dbias);
}

}  // namespace taper::cpu
#endif
