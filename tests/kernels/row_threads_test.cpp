// Kernels over rows return identical results for any number of threads.
#include <gtest/gtest.h>

#include <vector>

#include "cpu/norm/batch_norm.h"
#include "cpu/norm/group_norm.h"
#include "cpu/softmax/softmax.h"
#include "kernels/guarded.h"
#include "taper/core/parallel.h"

namespace taper::cpu {
namespace {

using Floats = std::vector<float>;

/// Expects that `compute` returns the same bits with 1, 2, 3 and 4 threads.
template <class F> void expect_identical_for_any_threads(F&& compute) {
  const int before = get_num_threads();
  set_num_threads(1);
  const Floats one = compute();
  for (const int threads : {2, 3, 4}) {
    set_num_threads(threads);
    EXPECT_EQ(compute(), one) << threads;
  }
  set_num_threads(before);
}

/// Returns values whose sums are rounded, so that they depend on the order of the summands.
Floats random_floats(std::int64_t size, unsigned seed) {
  Floats values = test::random_values<float>(size, seed);
  for (float& v : values) v *= 0.37f;
  return values;
}

/// Returns all outputs in one vector, whose parts `compute` fills.
template <class F> Floats joined(std::initializer_list<std::int64_t> sizes, F&& compute) {
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) total += size;
  Floats all(static_cast<std::size_t>(total));
  std::vector<float*> parts;
  float* at = all.data();
  for (const std::int64_t size : sizes) parts.push_back(at), at += size;
  compute(parts);
  return all;
}

TEST(RowThreads, ChannelsLastBatchNorm) {
  const ChannelShape s{.n = 3, .c = 48, .space = 1700};
  const std::int64_t size = s.n * s.c * s.space;
  const Floats x = random_floats(size, 1), g = random_floats(size, 2);
  expect_identical_for_any_threads([&] {
    return joined({s.c, s.c, s.c, size, s.c, s.c}, [&](const std::vector<float*>& p) {
      channel_stats(s, x.data(), p[0], p[1]);
      inverse_std(s.c, p[1], 1e-5, p[2]);
      channel_normalize_backward(s, true, x.data(), g.data(), p[0], p[2], nullptr, p[3], p[4],
                                 p[5]);
    });
  });
}

/// Layer normalization of `rows` rows, forward and backward.
void check_layer_norm(std::int64_t rows, std::int64_t columns) {
  const GroupShape s{.samples = rows, .channels = columns};
  const std::int64_t size = rows * columns;
  const Floats x = random_floats(size, 1), g = random_floats(size, 2),
               w = random_floats(columns, 3);
  expect_identical_for_any_threads([&] {
    return joined({size, rows, rows, size, columns, columns}, [&](const std::vector<float*>& p) {
      group_normalize(s, 1e-5, x.data(), w.data(), nullptr, p[0], p[1], p[2]);
      group_normalize_backward(s, x.data(), g.data(), p[1], p[2], w.data(), p[3], p[4], p[5]);
    });
  });
}

TEST(RowThreads, LayerNorm) { check_layer_norm(1000, 130); }
TEST(RowThreads, LayerNormThatBypassesTheCache) { check_layer_norm(4001, 810); }

void check_softmax(std::int64_t rows, std::int64_t columns, bool log) {
  const SoftmaxShape s{rows, columns, 1};
  const std::int64_t size = rows * columns;
  const Floats x = random_floats(size, 1), g = random_floats(size, 2);
  const auto compute = [&] {
    return joined({size, size}, [&](const std::vector<float*>& p) {
      softmax(s, log, x.data(), p[0]);
      softmax_backward(s, log, g.data(), p[0], p[1]);
    });
  };
  expect_identical_for_any_threads(compute);
  // A few rows, which do not bypass the cache.
  const Floats all = compute();
  const SoftmaxShape few{3, columns, 1};
  Floats y(static_cast<std::size_t>(3 * columns));
  softmax(few, log, x.data() + 100 * columns, y.data());
  EXPECT_TRUE(std::equal(y.begin(), y.end(), all.begin() + 100 * columns));
}

TEST(RowThreads, SoftmaxThatBypassesTheCache) {
  for (const bool log : {false, true}) check_softmax(3400, 1001, log);
}

}  // namespace
}  // namespace taper::cpu
