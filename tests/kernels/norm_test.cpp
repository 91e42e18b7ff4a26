// Batch normalization against plain loops in double.
#include "cpu/norm/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/guarded.h"
#include "kernels/targets.h"
#include "taper/core/parallel.h"

namespace taper::cpu {
namespace {

using test::Guarded;
using test::random_values;

struct NormCase {
  std::int64_t n, c, space;
  float offset = 0;  // value added to all elements, which causes cancellation
};

const std::vector<NormCase> kCases = {{4, 1, 9},          {2, 7, 5},
                                      {1, 16, 1},         {3, 20, 33, 100.0f},
                                      {8, 64, 49, -3.0f}, {2, 33, 300, 1000.0f},
                                      {1, 130, 11},       {5, 3, 5000, 10.0f}};

std::size_t at(const ChannelShape& s, std::int64_t n, std::int64_t c, std::int64_t p) {
  return static_cast<std::size_t>(s.channels_last ? (n * s.space + p) * s.c + c
                                                  : (n * s.c + c) * s.space + p);
}

template <class F> void each_of_channel(const ChannelShape& s, std::int64_t c, F&& f) {
  for (std::int64_t n = 0; n < s.n; ++n)
    for (std::int64_t p = 0; p < s.space; ++p) f(at(s, n, c, p));
}

double as_double(const Guarded<float>& v, std::size_t i) {
  return static_cast<double>(v[static_cast<std::int64_t>(i)]);
}

void check(const NormCase& k, bool channels_last, bool affine) {
  const ChannelShape s{.n = k.n, .c = k.c, .space = k.space, .channels_last = channels_last};
  const std::int64_t size = k.n * k.c * k.space;
  auto x = random_values<float>(size, 1);
  for (float& v : x) v += k.offset;
  const auto g = random_values<float>(size, 2), w = random_values<float>(k.c, 3),
             b = random_values<float>(k.c, 4);
  Guarded<float> mean(k.c), variance(k.c), invstd(k.c), y(size), dx(size), eval(size), dw(k.c),
      db(k.c);
  const float* const weight = affine ? w.data() : nullptr;
  channel_stats(s, x.data(), mean.data(), variance.data());
  inverse_std(k.c, variance.data(), 1e-5, invstd.data());
  channel_normalize(s, x.data(), mean.data(), invstd.data(), weight, affine ? b.data() : nullptr,
                    y.data());
  channel_normalize_backward(s, true, x.data(), g.data(), mean.data(), invstd.data(), weight,
                             dx.data(), dw.data(), db.data());
  channel_normalize_backward(s, false, x.data(), g.data(), mean.data(), invstd.data(), weight,
                             eval.data(), nullptr, nullptr);
  const double count = static_cast<double>(k.n * k.space);
  for (std::int64_t c = 0; c < k.c; ++c) {
    double sum = 0, squares = 0, dsum = 0, dproduct = 0;
    each_of_channel(s, c, [&](std::size_t i) { sum += static_cast<double>(x[i]); });
    const double m = sum / count;
    each_of_channel(s, c, [&](std::size_t i) {
      squares += (static_cast<double>(x[i]) - m) * (static_cast<double>(x[i]) - m);
    });
    const double inv = 1 / std::sqrt(squares / count + 1e-5);
    const auto channel = static_cast<std::size_t>(c);
    // The tolerance is half a unit in the last place of the mean, plus the error of float sums over
    // a block.
    ASSERT_NEAR(as_double(mean, channel), m, 6e-8 * std::fabs(m) + 1e-7) << c;
    ASSERT_NEAR(as_double(variance, channel), squares / count, 2e-6 * squares / count) << c;
    each_of_channel(s, c, [&](std::size_t i) {
      dsum += static_cast<double>(g[i]);
      dproduct += static_cast<double>(g[i]) * (static_cast<double>(x[i]) - m) * inv;
    });
    // The mean is a float, so that differences from it include its rounding error.
    const double slack = inv * std::fabs(m) * 1.2e-7 + 4e-6;
    ASSERT_NEAR(as_double(db, channel), dsum, 1e-5 + 1e-6 * count);
    ASSERT_NEAR(as_double(dw, channel), dproduct, (slack + 1e-6) * count);
    const double weight_of = affine ? static_cast<double>(w[channel]) : 1,
                 bias_of = affine ? static_cast<double>(b[channel]) : 0;
    each_of_channel(s, c, [&](std::size_t i) {
      const double hat = (static_cast<double>(x[i]) - m) * inv, gi = static_cast<double>(g[i]);
      ASSERT_NEAR(as_double(y, i), hat * weight_of + bias_of, slack * 4) << i;
      ASSERT_NEAR(as_double(eval, i), gi * weight_of * inv, 1e-5 * inv);
      ASSERT_NEAR(as_double(dx, i), weight_of * inv * (gi - dsum / count - hat * dproduct / count),
                  inv * slack * 8)
          << i;
    });
  }
  EXPECT_TRUE(mean.intact() && variance.intact() && invstd.intact() && y.intact() && dx.intact() &&
              eval.intact() && dw.intact() && db.intact());
}

TEST(BatchNorm, MatchesReference) {
  test::for_each_target([] {
    for (const NormCase& k : kCases)
      for (const bool last : {true, false})
        for (const bool affine : {true, false}) {
          SCOPED_TRACE(std::to_string(k.n) + "x" + std::to_string(k.c) + "x" +
                       std::to_string(k.space));
          check(k, last, affine);
          if (testing::Test::HasFatalFailure()) return;
        }
  });
}

TEST(BatchNorm, MatchesReferenceWithThreads) {
  const int before = get_num_threads();
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    for (const bool last : {true, false})
      check({.n = 7, .c = 24, .space = 900, .offset = 5.0f}, last, true);
  }
  set_num_threads(before);
}

TEST(BatchNorm, EmptyInput) {
  const ChannelShape none{.n = 0, .c = 3, .space = 4};
  float mean[3] = {9, 9, 9}, variance[3] = {9, 9, 9}, dw[3] = {9, 9, 9}, db[3] = {9, 9, 9};
  channel_stats(none, nullptr, mean, variance);
  channel_normalize(none, nullptr, mean, variance, nullptr, nullptr, nullptr);
  channel_normalize_backward(none, true, nullptr, nullptr, mean, variance, nullptr, nullptr, dw,
                             db);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(mean[i] == 0 && variance[i] == 0 && dw[i] == 0 && db[i] == 0);
  channel_stats({.n = 2, .c = 0, .space = 4}, nullptr, nullptr, nullptr);
}

TEST(BatchNorm, SupportsInPlace) {
  const ChannelShape s{.n = 2, .c = 5, .space = 7};
  auto x = random_values<float>(70, 1);
  const std::vector<float> copy = x;
  float mean[5], variance[5], invstd[5];
  channel_stats(s, x.data(), mean, variance);
  inverse_std(5, variance, 1e-5, invstd);
  std::vector<float> y(70);
  channel_normalize(s, copy.data(), mean, invstd, nullptr, nullptr, y.data());
  channel_normalize(s, x.data(), mean, invstd, nullptr, nullptr, x.data());
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace taper::cpu
