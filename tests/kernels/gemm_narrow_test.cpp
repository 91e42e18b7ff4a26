// Products of 16-bit floats against the product of their values in f32. The values of the test have
// few digits, so that sums in f32 are exact.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cpu/gemm/gemm.h"
#include "kernels/guarded.h"
#include "taper/core/parallel.h"

namespace taper::cpu {
namespace {

using test::random_values;

struct NarrowCase {
  std::int64_t m, n, k;
  bool a_transposed = false, b_transposed = false;
  std::int64_t step = 1;  // between elements of A and B
  bool bias = false, accumulate = false, relu = false;
  std::int64_t pad = 0;  // unused columns of C
};

template <class T> std::vector<T> rounded_values(std::int64_t n, unsigned seed) {
  std::vector<T> values;
  for (const float v : random_values<float>(n, seed)) values.push_back(T(v));
  return values;
}
template <class T> std::vector<float> widened(const std::vector<T>& values) {
  std::vector<float> wide;
  for (const T v : values) wide.push_back(static_cast<float>(v));
  return wide;
}

template <class T, class C> void check_narrow(const NarrowCase& c) {
  const auto a = rounded_values<T>(c.m * c.k * c.step, 1);
  const auto b = rounded_values<T>(c.k * c.n * c.step, 2), bias = rounded_values<T>(c.n, 3);
  const std::int64_t c_row = c.n + c.pad;
  auto out = rounded_values<C>(c.m * c_row, 4);
  const auto before = out;
  const auto product = [&]<class In, class Out>(const std::vector<In>& x, const std::vector<In>& y,
                                                const std::vector<In>& z, std::vector<Out>& to) {
    gemm(Gemm<In, Out>{.m = c.m,
                       .n = c.n,
                       .k = c.k,
                       .a = x.data(),
                       .a_row = c.step * (c.a_transposed ? 1 : c.k),
                       .a_col = c.step * (c.a_transposed ? c.m : 1),
                       .b = y.data(),
                       .b_row = c.step * (c.b_transposed ? 1 : c.n),
                       .b_col = c.step * (c.b_transposed ? c.k : 1),
                       .c = to.data(),
                       .c_row = c_row,
                       .bias = c.bias ? z.data() : nullptr,
                       .accumulate = c.accumulate,
                       .relu = c.relu});
  };
  product(a, b, bias, out);
  std::vector<float> expected = widened(before);
  product(widened(a), widened(b), widened(bias), expected);

  for (std::int64_t i = 0; i < c.m; ++i)
    for (std::int64_t j = 0; j < c_row; ++j) {
      const auto at = static_cast<std::size_t>(i * c_row + j);
      const C wanted = j < c.n ? C(expected[at]) : before[at];
      ASSERT_EQ(static_cast<float>(out[at]), static_cast<float>(wanted)) << "at " << i << ", " << j;
    }
}

class GemmNarrow : public testing::TestWithParam<NarrowCase> {
 protected:
  void SetUp() override { set_num_threads(2); }
  void TearDown() override { set_num_threads(threads_); }
  int threads_ = get_num_threads();
};

TEST_P(GemmNarrow, RoundsTheProductInSinglePrecision) {
  check_narrow<Half, Half>(GetParam());
  check_narrow<BFloat16, BFloat16>(GetParam());
}
TEST_P(GemmNarrow, StoresTheProductInSinglePrecision) {
  check_narrow<Half, float>(GetParam());
  check_narrow<BFloat16, float>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, GemmNarrow,
    testing::Values(NarrowCase{1, 1, 1}, NarrowCase{3, 5, 7}, NarrowCase{16, 16, 16},
                    NarrowCase{16, 17, 18, true, false}, NarrowCase{2, 33, 40, false, true},
                    NarrowCase{9, 8, 11, true, true, 3}, NarrowCase{4, 6, 5, false, false, 2},
                    NarrowCase{.m = 5, .n = 20, .k = 9, .bias = true, .pad = 3},
                    NarrowCase{.m = 5, .n = 20, .k = 9, .accumulate = true, .pad = 1},
                    NarrowCase{
                        .m = 5, .n = 20, .k = 9, .bias = true, .accumulate = true, .relu = true},
                    NarrowCase{.m = 4, .n = 3, .k = 0, .bias = true}, NarrowCase{0, 3, 4},
                    NarrowCase{3, 0, 4}, NarrowCase{300, 200, 150, false, true},
                    NarrowCase{200, 300, 210, true}),
    [](const auto& info) {
      const NarrowCase& c = info.param;
      return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) +
             (c.a_transposed ? "_at" : "") + (c.b_transposed ? "_bt" : "") +
             (c.step > 1 ? "_strided" : "") + (c.bias ? "_bias" : "") +
             (c.accumulate ? "_accumulate" : "") + (c.relu ? "_relu" : "");
    });

}  // namespace
}  // namespace taper::cpu
