// Pooling against plain loops that implement PyTorch's rules.
#include "cpu/pool/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/guarded.h"
#include "kernels/targets.h"
#include "taper/core/parallel.h"

namespace taper::cpu {
namespace {

using test::Guarded;
using test::random_values;

std::int64_t extent(std::int64_t size, std::int64_t k, std::int64_t s, std::int64_t p,
                    std::int64_t d, bool ceil) {
  std::int64_t n = (size + 2 * p - d * (k - 1) - 1 + (ceil ? s - 1 : 0)) / s + 1;
  if (ceil && (n - 1) * s >= size + p) --n;
  return n;
}

Pool2d shape(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t k,
             std::int64_t s, std::int64_t p = 0, std::int64_t d = 1, bool ceil = false) {
  Pool2d q{.n = n,
           .c = c,
           .h = h,
           .w = w,
           .kh = k,
           .kw = k + 1 <= w ? k : 1,
           .sh = s,
           .sw = s,
           .ph = p,
           .pw = p,
           .dh = d,
           .dw = d};
  q.ho = extent(h, q.kh, s, p, d, ceil);
  q.wo = extent(w, q.kw, s, p, d, ceil);
  return q;
}

std::vector<Pool2d> shapes() {
  return {shape(2, 20, 24, 24, 2, 2),      shape(3, 17, 9, 8, 3, 2, 1),
          shape(1, 1, 5, 7, 2, 1),         shape(2, 33, 7, 7, 3, 2, 1, 1, true),
          shape(1, 5, 11, 10, 3, 1, 1, 2), shape(1, 64, 6, 5, 2, 3),
          shape(2, 16, 8, 8, 4, 4),        shape(1, 3, 6, 6, 2, 2, 1, 1, true),
          shape(0, 4, 6, 6, 2, 2),         shape(1, 0, 6, 6, 2, 2)};
}

struct Elements {  // offsets of logical (n, c, h, w)
  const Pool2d& p;
  std::size_t in(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return static_cast<std::size_t>(p.channels_last ? ((n * p.h + h) * p.w + w) * p.c + c
                                                    : ((n * p.c + c) * p.h + h) * p.w + w);
  }
  std::int64_t out(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return p.channels_last ? ((n * p.ho + h) * p.wo + w) * p.c + c
                           : ((n * p.c + c) * p.ho + h) * p.wo + w;
  }
};

template <class F> void each_output(const Pool2d& p, F&& f) {
  for (std::int64_t n = 0; n < p.n; ++n)
    for (std::int64_t c = 0; c < p.c; ++c)
      for (std::int64_t i = 0; i < p.ho; ++i)
        for (std::int64_t j = 0; j < p.wo; ++j) f(n, c, i, j);
}

void check_max(const Pool2d& p, const std::vector<float>& x) {
  const Elements at{p};
  const std::int64_t outputs = p.n * p.c * p.ho * p.wo,
                     inputs = static_cast<std::int64_t>(x.size());
  Guarded<float> y(outputs), y8(outputs), only(outputs), dx(inputs), dx8(inputs);
  Guarded<std::int64_t> indices(outputs);
  Guarded<std::uint8_t> taps(outputs);
  const std::vector<float> g = random_values<float>(outputs, 9);
  max_pool2d(p, x.data(), y.data(), indices.data());
  max_pool2d(p, x.data(), y8.data(), taps.data());
  max_pool2d(p, x.data(), only.data(), static_cast<std::int64_t*>(nullptr));
  max_pool2d_backward(p, g.data(), indices.data(), dx.data());
  max_pool2d_backward(p, g.data(), taps.data(), dx8.data());
  std::vector<double> want(x.size());
  each_output(p, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
    float best = -std::numeric_limits<float>::infinity();
    std::int64_t place = -1, tap = 255;
    for (std::int64_t u = 0; u < p.kh; ++u)
      for (std::int64_t v = 0; v < p.kw; ++v) {
        const std::int64_t h = i * p.sh + u * p.dh - p.ph, w = j * p.sw + v * p.dw - p.pw;
        if (h < 0 || w < 0 || h >= p.h || w >= p.w) continue;
        const float e = x[at.in(n, c, h, w)];
        if (place < 0 || e > best || std::isnan(e))
          best = e, place = h * p.w + w, tap = u * p.kw + v;
      }
    const std::int64_t o = at.out(n, c, i, j);
    for (const float got : {y[o], y8[o], only[o]})
      ASSERT_TRUE(got == best || (std::isnan(got) && std::isnan(best))) << got << " " << best;
    ASSERT_EQ(indices[o], place);
    ASSERT_EQ(taps[o], tap);
    if (place >= 0)
      want[at.in(n, c, place / p.w, place % p.w)] +=
          static_cast<double>(g[static_cast<std::size_t>(o)]);
  });
  for (std::int64_t i = 0; i < inputs; ++i) {
    // Values lie on a grid, so sums are exact in any order.
    ASSERT_EQ(static_cast<double>(dx[i]), want[static_cast<std::size_t>(i)]);
    ASSERT_EQ(static_cast<double>(dx8[i]), want[static_cast<std::size_t>(i)]);
  }
  EXPECT_TRUE(y.intact() && y8.intact() && only.intact() && dx.intact() && dx8.intact() &&
              indices.intact() && taps.intact());
}

TEST(Pool, MaxMatchesReference) {
  test::for_each_target([] {
    for (Pool2d p : shapes())
      for (const bool last : {true, false}) {
        p.channels_last = last;
        auto x = random_values<float>(p.n * p.c * p.h * p.w, 1);
        check_max(p, x);
        for (std::size_t i = 0; i < x.size(); i += 7)
          x[i] = std::numeric_limits<float>::quiet_NaN();
        for (std::size_t i = 3; i < x.size(); i += 3)
          x[i] = -std::numeric_limits<float>::infinity();
        check_max(p, x);
      }
  });
}

TEST(Pool, AdaptiveMatchesReference) {
  const auto begin = [](std::int64_t i, std::int64_t size, std::int64_t parts) {
    return i * size / parts;
  };
  const auto check = [&](const Pool2d& p, const std::vector<float>& x, bool has_nan) {
    const Elements at{p};
    const std::int64_t outputs = p.n * p.c * p.ho * p.wo;
    Guarded<float> y(outputs), mean(outputs);
    Guarded<std::int64_t> indices(outputs);
    max_pool2d(p, x.data(), y.data(), indices.data());
    avg_pool2d(p, {}, x.data(), mean.data());
    each_output(p, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
      float best = 0;
      double sum = 0;
      std::int64_t place = -1, count = 0;
      for (std::int64_t h = begin(i, p.h, p.ho); h < (p.h * (i + 1) + p.ho - 1) / p.ho; ++h)
        for (std::int64_t w = begin(j, p.w, p.wo); w < (p.w * (j + 1) + p.wo - 1) / p.wo; ++w) {
          const float e = x[at.in(n, c, h, w)];
          if (place < 0 || e > best || std::isnan(e)) best = e, place = h * p.w + w;
          sum += static_cast<double>(e), ++count;
        }
      const std::int64_t o = at.out(n, c, i, j);
      ASSERT_EQ(indices[o], place);
      ASSERT_TRUE(y[o] == best || (std::isnan(y[o]) && std::isnan(best)));
      if (!has_nan) {
        ASSERT_NEAR(static_cast<double>(mean[o]), sum / static_cast<double>(count), 1e-6);
      }
    });
    EXPECT_TRUE(y.intact() && indices.intact() && mean.intact());
  };
  test::for_each_target([&] {
    // Regions of few and of many columns, of equal and of different sizes, of whole rows.
    for (Pool2d p : {Pool2d{.n = 2, .c = 3, .h = 9, .w = 40, .ho = 2, .wo = 3},
                     Pool2d{.n = 1, .c = 5, .h = 4, .w = 14, .ho = 2, .wo = 2},
                     Pool2d{.n = 1, .c = 2, .h = 1, .w = 100, .ho = 1, .wo = 3},
                     Pool2d{.n = 2, .c = 2, .h = 6, .w = 7, .ho = 3, .wo = 1},
                     Pool2d{.n = 1, .c = 2, .h = 5, .w = 6, .ho = 7, .wo = 4}})
      for (const bool last : {true, false}) {
        p.channels_last = last, p.adaptive = true;
        p.kh = 1 + p.h / p.ho, p.kw = 1 + p.w / p.wo;
        auto x = random_values<float>(p.n * p.c * p.h * p.w, 3);
        check(p, x, false);
        for (std::size_t i = 5; i < x.size(); i += 23)
          x[i] = std::numeric_limits<float>::quiet_NaN();
        check(p, x, true);
      }
  });
}

TEST(Pool, MaxReturnsNegativeInfinityForWindowOutsideInput) {
  // With dilation 3, no row of the window is the only row of the input.
  const Pool2d p{
      .n = 1, .c = 3, .h = 1, .w = 4, .ho = 1, .wo = 4, .kh = 2, .kw = 1, .ph = 1, .dh = 3};
  test::for_each_target([&] { check_max(p, random_values<float>(12, 1)); });
}

void check_avg(const Pool2d& p, const AvgRule& rule) {
  const Elements at{p};
  const auto x = random_values<float>(p.n * p.c * p.h * p.w, 1);
  const std::int64_t outputs = p.n * p.c * p.ho * p.wo;
  const auto g = random_values<float>(outputs, 2);
  Guarded<float> y(outputs), dx(static_cast<std::int64_t>(x.size()));
  avg_pool2d(p, rule, x.data(), y.data());
  avg_pool2d_backward(p, rule, g.data(), dx.data());
  std::vector<double> want(x.size());
  each_output(p, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
    const std::int64_t h0 = i * p.sh - p.ph, w0 = j * p.sw - p.pw;
    const std::int64_t h1 = std::min(h0 + p.kh, p.h + p.ph), w1 = std::min(w0 + p.kw, p.w + p.pw);
    const std::int64_t padded = (h1 - h0) * (w1 - w0);
    std::int64_t inside = 0;
    double sum = 0;
    const auto over = [&](auto&& f) {
      for (std::int64_t h = std::max<std::int64_t>(h0, 0); h < std::min(h1, p.h); ++h)
        for (std::int64_t w = std::max<std::int64_t>(w0, 0); w < std::min(w1, p.w); ++w)
          f(at.in(n, c, h, w));
    };
    over([&](std::size_t e) { sum += static_cast<double>(x[e]), ++inside; });
    const double divisor = static_cast<double>(rule.divisor_override != 0 ? rule.divisor_override
                                               : rule.count_include_pad   ? padded
                                                                          : inside);
    const std::int64_t o = at.out(n, c, i, j);
    ASSERT_NEAR(static_cast<double>(y[o]), inside == 0 ? 0 : sum / divisor, 1e-6);
    over([&](std::size_t e) {
      want[e] += static_cast<double>(g[static_cast<std::size_t>(o)]) / divisor;
    });
  });
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(static_cast<double>(dx[static_cast<std::int64_t>(i)]), want[i], 2e-6);
  EXPECT_TRUE(y.intact() && dx.intact());
}

TEST(Pool, AverageMatchesReference) {
  test::for_each_target([] {
    for (Pool2d p : shapes()) {
      if (p.dh != 1) continue;
      for (const bool last : {true, false})
        for (const AvgRule rule :
             {AvgRule{}, AvgRule{.count_include_pad = false}, AvgRule{.divisor_override = 3}}) {
          p.channels_last = last;
          check_avg(p, rule);
        }
    }
  });
}

TEST(Pool, MatchesReferenceWithThreads) {
  const int before = get_num_threads();
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    for (const bool last : {true, false})
      for (Pool2d p : {shape(5, 48, 20, 20, 3, 2, 1), shape(1, 70, 30, 30, 3, 1, 1)}) {
        p.channels_last = last;
        check_max(p, random_values<float>(p.n * p.c * p.h * p.w, 1));
        check_avg(p, {});
      }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace taper::cpu
