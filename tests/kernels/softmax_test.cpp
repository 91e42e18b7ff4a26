// Softmax and log-softmax against plain loops in wider precision.
#include "cpu/softmax/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/guarded.h"
#include "kernels/targets.h"
#include "taper/core/parallel.h"

namespace taper::cpu {
namespace {

SoftmaxShape rows_of(std::int64_t rows, std::int64_t columns) { return {rows, columns, 1}; }

using test::Guarded;
using test::random_values;

template <class T> void check(std::int64_t rows, std::int64_t columns, T scale) {
  using W = std::conditional_t<sizeof(T) == 4, double, long double>;
  constexpr W eps = static_cast<W>(std::numeric_limits<T>::epsilon());
  const std::int64_t size = rows * columns;
  auto x = random_values<T>(size, 1);
  for (T& v : x) v *= scale;
  const auto g = random_values<T>(size, 2);
  Guarded<T> p(size), l(size), dp(size), dl(size);
  softmax(rows_of(rows, columns), false, x.data(), p.data());
  softmax(rows_of(rows, columns), true, x.data(), l.data());
  softmax_backward(rows_of(rows, columns), false, g.data(), p.data(), dp.data());
  softmax_backward(rows_of(rows, columns), true, g.data(), l.data(), dl.data());
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto at = [&](const auto& v, std::int64_t c) {
      return static_cast<W>(v.data()[r * columns + c]);
    };
    W top = at(x, 0), sum = 0, weighted = 0, total = 0, size_of = 0;
    for (std::int64_t c = 0; c < columns; ++c) top = std::max(top, at(x, c));
    for (std::int64_t c = 0; c < columns; ++c) sum += std::exp(at(x, c) - top);
    for (std::int64_t c = 0; c < columns; ++c) {
      weighted += at(g, c) * std::exp(at(x, c) - top) / sum;
      total += at(g, c);
      size_of += std::fabs(at(g, c));
    }
    const W slack = eps * static_cast<W>(8 + columns / 8);
    for (std::int64_t c = 0; c < columns; ++c) {
      const W e = at(x, c) - top, want = std::exp(e) / sum;
      ASSERT_LE(std::fabs(at(p, c) - want),
                slack * want + static_cast<W>(std::numeric_limits<T>::min()));
      ASSERT_LE(std::fabs(at(l, c) - (e - std::log(sum))),
                slack * (std::fabs(e) + 1 + std::log(sum)));
      ASSERT_LE(std::fabs(at(dp, c) - want * (at(g, c) - weighted)),
                8 * slack * want + static_cast<W>(std::numeric_limits<T>::min()));
      ASSERT_LE(std::fabs(at(dl, c) - (at(g, c) - want * total)),
                slack * (1 + size_of) * (2 + std::fabs(e)));
    }
  }
  EXPECT_TRUE(p.intact() && l.intact() && dp.intact() && dl.intact());
}

TEST(Softmax, MatchesReference) {
  test::for_each_target([] {
    for (const std::int64_t rows : {1, 15, 16, 33})
      for (const std::int64_t columns : {1, 3, 10, 16, 17, 32, 33, 300}) {
        check<float>(rows, columns, 3.0f);
        check<double>(rows, columns, 3.0);
        check<float>(rows, columns, 60.0f);
        if (testing::Test::HasFatalFailure()) return;
      }
  });
}

TEST(Softmax, MatchesReferenceWithThreads) {
  const int before = get_num_threads();
  set_num_threads(3);
  check<float>(3000, 10, 2.0f);
  check<float>(37, 999, 2.0f);
  set_num_threads(before);
}

TEST(Softmax, HandlesInfinityAndNaN) {
  constexpr float inf = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  test::for_each_target([] {
    for (const std::size_t columns : {std::size_t{5}, std::size_t{40}}) {
      std::vector<float> x(4 * columns, 0.5f), p(x.size()), l(x.size());
      x[0] = -inf;  // one class has probability 0
      std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(columns), columns,
                  -inf);  // all elements of row 1
      x[2 * columns + 1] = nan;
      x[3 * columns + 2] = inf;
      const auto n = static_cast<std::int64_t>(columns);
      softmax(rows_of(4, n), false, x.data(), p.data());
      softmax(rows_of(4, n), true, x.data(), l.data());
      EXPECT_EQ(p[0], 0.0f);
      EXPECT_EQ(l[0], -inf);
      EXPECT_NEAR(p[1], 1.0f / static_cast<float>(columns - 1), 1e-6f);
      for (std::size_t i = columns; i < 3 * columns; ++i)
        EXPECT_TRUE(std::isnan(p[i]) && std::isnan(l[i])) << i;
      EXPECT_TRUE(std::isnan(p[3 * columns + 2]));
    }
  });
}

TEST(Softmax, SupportsInPlaceAndEmptyInput) {
  for (const std::int64_t columns : {7, 70}) {
    auto x = random_values<float>(6 * columns, 1);
    std::vector<float> y(x.size());
    softmax(rows_of(6, columns), false, x.data(), y.data());
    softmax(rows_of(6, columns), false, x.data(), x.data());
    EXPECT_EQ(x, y);
  }
  const float* const no_floats = nullptr;
  const double* const no_doubles = nullptr;
  softmax(rows_of(0, 5), false, no_floats, static_cast<float*>(nullptr));
  softmax_backward(rows_of(5, 0), true, no_doubles, no_doubles, static_cast<double*>(nullptr));
}

}  // namespace
}  // namespace taper::cpu
