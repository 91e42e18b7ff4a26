// Means of windows of row-major planes and their gradients: sums of the rows of a window first.
#include "cpu/pool/plane_rows.h"
#include "cpu/pool/planes.h"
#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pool/planes_avg.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/pool/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace mean_of_planes {
using namespace planes;

/// Stores the sum of `count` rows of `width` elements, which are `width` apart.
void sum_rows(const float* from, std::int64_t count, std::int64_t width, float* to) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t c = 0;
  for (; c + 2 * lanes <= width; c += 2 * lanes) {
    auto a = hn::LoadU(d, from + c), b = hn::LoadU(d, from + c + lanes);
    for (std::int64_t r = 1; r < count; ++r) {
      a = hn::Add(a, hn::LoadU(d, from + r * width + c));
      b = hn::Add(b, hn::LoadU(d, from + r * width + c + lanes));
    }
    hn::StoreU(a, d, to + c);
    hn::StoreU(b, d, to + c + lanes);
  }
  for (; c < width; c += lanes) {
    const auto n = static_cast<std::size_t>(std::min(lanes, width - c));
    auto a = load_lanes(from + c, n);
    for (std::int64_t r = 1; r < count; ++r) a = hn::Add(a, load_lanes(from + r * width + c, n));
    store_lanes(a, to + c, n);
  }
}

/// Returns the sum of n elements, of which independent partial sums are added up.
float sum_of(const float* x, std::int64_t n) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  float total = 0;
  std::int64_t i = 0;
  if (n >= 2 * lanes) {
    auto a = hn::Zero(d), b = a;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      a = hn::Add(a, hn::LoadU(d, x + i));
      b = hn::Add(b, hn::LoadU(d, x + i + lanes));
    }
    if (i < n) b = hn::Add(b, load_n(d, x + i, static_cast<std::size_t>(std::min(lanes, n - i))));
    i += lanes;
    if (i < n) a = hn::Add(a, load_n(d, x + i, static_cast<std::size_t>(n - i)));
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
  }
  for (; i < n; ++i) total += x[i];
  return total;
}

/// Divisors of windows, the products of a factor of the row and one of the column. A window that
/// extends beyond the padding (ceil_mode) counts elements up to the end of the padding.
class Divisors {
 public:
  Divisors(const Pool2d& p, const AvgRule& rule, std::int64_t lanes) : p_(p), rule_(rule) {
    columns_.assign(static_cast<std::size_t>(round_up(p.wo, lanes)), 1.0f);
    if (rule.divisor_override != 0) return;
    for (std::int64_t j = 0; j < p.wo; ++j)
      columns_[static_cast<std::size_t>(j)] = count(columns_of(p, j), j, p.w, p.kw, p.sw, p.pw);
  }
  float of_row(std::int64_t i) const {
    return rule_.divisor_override != 0 ? static_cast<float>(rule_.divisor_override)
                                       : count(rows_of(p_, i), i, p_.h, p_.kh, p_.sh, p_.ph);
  }
  const float* of_columns() const { return columns_.data(); }

 private:
  float count(const Span& inside, std::int64_t out, std::int64_t size, std::int64_t kernel,
              std::int64_t stride, std::int64_t padding) const {
    if (!rule_.count_include_pad || p_.adaptive) return static_cast<float>(inside.count);
    const std::int64_t start = out * stride - padding;
    return static_cast<float>(std::min(start + kernel, size + padding) - start);
  }

  const Pool2d& p_;
  const AvgRule& rule_;
  std::vector<float> columns_;
};

/// Returns `p` with windows instead of regions of equal sizes.
Pool2d without_equal_regions(Pool2d p) {
  if (!p.adaptive || p.h % p.ho != 0 || p.w % p.wo != 0) return p;
  p.adaptive = false;
  p.kh = p.sh = p.h / p.ho, p.kw = p.sw = p.w / p.wo;
  return p;
}

constexpr std::int64_t kMaxWidth = 16;  // of windows summed in vectors

/// Computes one output row of adjacent windows from the sums of its rows.
template <int S> void mean_row(const Pool2d& p, const float* sums, float row_divisor,
                               const float* column_divisors, float* y) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t j = 0; j < p.wo; j += lanes) {
    auto sum = load_every<S>(sums + j * S);
    for (std::int64_t k = 1; k < p.kw; ++k) sum = hn::Add(sum, load_every<S>(sums + j * S + k));
    const auto divisor = hn::Mul(hn::Set(d, row_divisor), hn::LoadU(d, column_divisors + j));
    store_lanes(hn::Div(sum, divisor), y + j, static_cast<std::size_t>(std::min(lanes, p.wo - j)));
  }
}

void forward(const Pool2d& given, const AvgRule& rule, const float* x, float* y) {
  const Pool2d p = without_equal_regions(given);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  const std::vector<Span> columns = spans_of_columns(p);
  const Divisors divisors(p, rule, lanes);
  const bool use_vectors = has_vector_windows(p, kMaxWidth);
  // Windows of whole rows are contiguous.
  const bool has_whole_rows = p.wo == 1 && columns[0].count == p.w;
  const float* const end = x + p.n * p.c * p.h * p.w;
  const std::int64_t grain = 1 + kMinPoolWork / (1 + p.wo * p.kh * p.kw);
  parallel_for(0, p.n * p.c * p.ho, grain, [&](std::int64_t b, std::int64_t e) {
    std::optional<PaddedRows> padded;
    std::optional<Scratch> scratch;
    if (use_vectors && !has_whole_rows)
      padded.emplace(p, lanes, 1, 0.0f, end);
    else
      scratch.emplace(static_cast<std::size_t>(p.w) * sizeof(float));
    for (std::int64_t row = b; row < e; ++row) {
      const std::int64_t i = row % p.ho;
      const Span rows = rows_of(p, i);
      const float* const from = x + row / p.ho * p.h * p.w + rows.begin * p.w;
      const float row_divisor = divisors.of_row(i);
      float* const to = y + row * p.wo;
      if (has_whole_rows) {
        *to = sum_of(from, rows.count * p.w) / (row_divisor * *divisors.of_columns());
        continue;
      }
      if (use_vectors) {
        const float* sums = nullptr;
        if (rows.count == 1) {
          sums = padded->padded(from, 0);
        } else {
          sum_rows(from, rows.count, p.w, padded->row_in(0));
          sums = padded->row_in(0) - p.pw;
        }
        (p.sw == 1 ? mean_row<1> : mean_row<2>)(p, sums, row_divisor, divisors.of_columns(), to);
        continue;
      }
      const float* sums = from;
      if (rows.count != 1)
        sum_rows(from, rows.count, p.w, scratch->as<float>()), sums = scratch->as<float>();
      for (std::int64_t j = 0; j < p.wo; ++j) {
        const Span& c = columns[static_cast<std::size_t>(j)];
        to[j] = sum_of(sums + c.begin, c.count) / (row_divisor * divisors.of_columns()[j]);
      }
    }
  });
}

/// Computes the gradient of one input row of a window row from the shares of its windows. `row` has
/// space for the padding.
void spread_row(const Pool2d& p, const std::vector<Span>& columns, const float* shares,
                float* row) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  if (has_vector_windows(p, kMaxWidth)) {
    // Columns after the last window.
    const std::int64_t covered = (p.wo - 1) * p.sw + p.kw;
    std::fill_n(row + covered, std::max<std::int64_t>(p.pw + p.w - covered, 0), 0.0f);
  }
  if (!p.adaptive && p.kw == 2 && p.sw == 2) {
    for (; j + lanes <= p.wo; j += lanes) {
      const auto share = hn::LoadU(d, shares + j);
      hn::StoreInterleaved2(share, share, d, row + 2 * j);
    }
    for (; j < p.wo; ++j) row[2 * j] = row[2 * j + 1] = shares[j];
    return;
  }
  if (has_vector_windows(p, kMaxWidth)) {
    std::fill_n(row, (p.wo - 1) * p.sw + p.kw, 0.0f);
    for (std::int64_t k = 0; k < p.kw; ++k)
      for (j = 0; j < p.wo; ++j) row[j * p.sw + k] += shares[j];
    return;
  }
  std::fill_n(row + p.pw, p.w, 0.0f);
  for (j = 0; j < p.wo; ++j) {
    const Span& c = columns[static_cast<std::size_t>(j)];
    float* const to = row + p.pw + c.begin;
    for (std::int64_t k = 0; k < c.count; ++k) to[k] += shares[j];
  }
}

void backward(const Pool2d& given, const AvgRule& rule, const float* dy, float* dx) {
  const Pool2d p = without_equal_regions(given);
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::vector<Span> columns = spans_of_columns(p);
  const Divisors divisors(p, rule, lanes);
  const bool covers_input = windows_tile_input(p) && !p.adaptive;
  const std::int64_t grain = 1 + kMinPoolWork / (1 + p.h * p.w);
  const std::int64_t narrow = has_vector_windows(p, kMaxWidth) ? p.wo * p.sw + p.kw : 0;
  const std::int64_t width = std::max(p.pw + p.w, narrow) + 2 * lanes;
  parallel_for(0, p.n * p.c, grain, [&](std::int64_t b, std::int64_t e) {
    const Scratch scratch(static_cast<std::size_t>(width + round_up(p.wo, lanes)) * sizeof(float));
    float* const shares = scratch.as<float>();
    float* const row = shares + round_up(p.wo, lanes);
    for (std::int64_t plane = b; plane < e; ++plane) {
      float* const image = dx + plane * p.h * p.w;
      if (!covers_input) std::fill_n(image, p.h * p.w, 0.0f);
      for (std::int64_t i = 0; i < p.ho; ++i) {
        const Span rows = rows_of(p, i);
        const auto row_divisor = hn::Set(d, divisors.of_row(i));
        for (std::int64_t j = 0; j < p.wo; j += lanes) {
          const auto n = static_cast<std::size_t>(std::min(lanes, p.wo - j));
          const auto divisor = hn::Mul(row_divisor, hn::LoadU(d, divisors.of_columns() + j));
          hn::StoreU(hn::Div(load_lanes(dy + (plane * p.ho + i) * p.wo + j, n), divisor), d,
                     shares + j);
        }
        spread_row(p, columns, shares, row);
        const float* const from = row + p.pw;
        for (std::int64_t r = rows.begin; r < rows.begin + rows.count; ++r) {
          float* const to = image + r * p.w;
          if (covers_input)
            std::copy_n(from, p.w, to);
          else
            for (std::int64_t c = 0; c < p.w; ++c) to[c] += from[c];
        }
      }
    }
  });
}

}  // namespace mean_of_planes
using mean_of_planes::backward;
using mean_of_planes::forward;
}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {
HWY_EXPORT(backward);
HWY_EXPORT(forward);

namespace planes {

void avg_forward(const Pool2d& p, const AvgRule& rule, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(forward)(p, rule, x, y);
}
void avg_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx) {
  HWY_DYNAMIC_DISPATCH(backward)(p, rule, dy, dx);
}

}  // namespace planes
}  // namespace taper::cpu
#endif
