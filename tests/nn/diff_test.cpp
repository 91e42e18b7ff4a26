// nn::diff: differences between two networks.
#include "taper/nn/diff.h"

#include <cmath>

#include "nets.h"
#include "taper/nn/nn.h"

namespace {

using namespace nets;

Value entries(std::initializer_list<std::pair<Value, Value>> all) { return Value::dict(all); }

TEST(Diff, FindsNothingBetweenEqualModules) {
  nn::Sequential a{nn::Linear(2, 3), nn::BatchNorm1d(3)};
  auto b = a.clone();
  const nn::Diff d = nn::diff(a, b);
  EXPECT_TRUE(d.empty());
  EXPECT_EQ(d.str(), "no difference in 7 entries");
}

TEST(Diff, ReportsStructuralDifferences) {
  nn::Sequential a({{"fc", nn::Linear(2, 3)}, {"act", nn::ReLU()}, {"head", nn::Linear(3, 1)}});
  nn::Sequential b({{"fc", nn::Linear(2, 4)}, {"act", nn::ELU()}, {"tail", nn::Linear(3, 1)}});
  EXPECT_EQ(nn::diff(a, b).str(),
            "2 of 2 common entries differ, 2 only in the first, 2 only in the second\n"
            "  fc: Linear(in_features=2, out_features=3, bias=True) | Linear(in_features=2, "
            "out_features=4, bias=True)\n"
            "  act: ReLU() | ELU(alpha=1.0)\n"
            "  - head: Linear(in_features=3, out_features=1, bias=True)\n"
            "  + tail: Linear(in_features=3, out_features=1, bias=True)\n"
            "  - head.weight: float32 [1, 3]\n"
            "  - head.bias: float32 [1]\n"
            "  + tail.weight: float32 [1, 3]\n"
            "  + tail.bias: float32 [1]\n"
            "  fc.weight: float32 [3, 2] | float32 [4, 2]\n"
            "  fc.bias: float32 [3] | float32 [4]");
  EXPECT_FALSE(nn::diff(a, b).empty());
}

TEST(Diff, ListsLargestDifferencesFirst) {
  const Value a = entries({{"small", tensor({1.0, 2.0})},
                           {"large", tensor({{0.0, 0.0}, {0.0, 0.0}})},
                           {"same", ones({2})}});
  const Value b = entries({{"small", tensor({1.5, 2.0})},
                           {"large", tensor({{0.0, 0.0}, {-3.0, 1.0}})},
                           {"same", ones({2})}});
  const nn::Diff d = nn::diff(a, b);
  EXPECT_EQ(
      d.str(),
      "2 of 3 common entries differ, 0 only in the first, 0 only in the second\n"
      "  large: float32 [2, 2], 2 of 4 elements differ, by 3.0 at [1, 0] (0.0 | -3.0), 1.0 on "
      "average\n"
      "  small: float32 [2], 1 of 2 elements differ, by 0.5 at [0] (1.0 | 1.5), 0.25 on "
      "average");
  EXPECT_EQ(d.tensors[0].max_abs_diff, 3);
  EXPECT_EQ(d.tensors[0].index, Shape({1, 0}));
  EXPECT_EQ(nn::diff(a, b, {.atol = 1}).tensors.size(), 1u);
  EXPECT_TRUE(nn::diff(a, b, {.rtol = 1}).empty());
}

TEST(Diff, ComparesDtypesAndOtherValues) {
  const Value a = entries({{"x", ones({2})}, {"n", 1}, {"t", ones({1})}, {"same", "text"}});
  const Value b = entries(
      {{"x", full({2}, 2.0, {.dtype = float64})}, {"n", 2}, {"t", Value()}, {"same", "text"}});
  EXPECT_EQ(
      nn::diff(a, b).str(),
      "3 of 4 common entries differ, 0 only in the first, 0 only in the second\n"
      "  n: 1 | 2\n"
      "  t: float32 [1] | None\n"
      "  x: float32 [2] | float64 [2], 2 of 2 elements differ, by 1.0 at [0] (1.0 | 2.0), 1.0 "
      "on average");
  EXPECT_EQ(error_text<TypeError>([] { nn::diff(Value(3), Value::dict()); }),
            "diff: got int, expected a dict");
}

TEST(Diff, HandlesNaNAndLargeIntegers) {
  const double nan = std::nan("");
  EXPECT_TRUE(nn::diff(entries({{"x", tensor({nan})}}), entries({{"x", tensor({nan})}})).empty());
  const nn::Diff d = nn::diff(entries({{"x", tensor({nan})}}), entries({{"x", tensor({1.0})}}));
  EXPECT_TRUE(std::isinf(d.tensors[0].max_abs_diff));
  EXPECT_EQ(d.tensors[0].mean, 0);  // the mean excludes infinite differences
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(nn::diff(entries({{"x", full({1}, large, {.dtype = int64})}}),
                        entries({{"x", full({1}, large - 1, {.dtype = int64})}}))
                   .empty());
}

TEST(Diff, ReadsRepeatedElementsOnce) {
  const std::int64_t many = 1'000'000'000'000;
  const auto repeated = [&](double last) {
    return entries({{"x", tensor({1.0, last}).unsqueeze(1).expand({2, many})}});
  };
  EXPECT_TRUE(nn::diff(repeated(2), repeated(2)).empty());
  const nn::Diff d = nn::diff(repeated(2), repeated(3));
  EXPECT_EQ(d.tensors[0].num_different, many);
  EXPECT_EQ(d.tensors[0].index, Shape({1, 0}));
}

TEST(Diff, ComparesOnlyShapesOfTensorsWithoutElements) {
  nn::Linear a(2, 3), b(2, 3);
  a.to("meta");
  EXPECT_TRUE(nn::diff(a, b).empty());
  nn::LazyLinear lazy(3);
  EXPECT_EQ(nn::diff(lazy.state_dict(), b.state_dict()).str().substr(72, 67),
            "  weight: <UninitializedParameter> | float32 [3, 2]\n  bias: <Uninit");
}

}  // namespace
