// Medians: even counts, ties, NaN, indices, empty inputs.
#include <gtest/gtest.h>

#include <cmath>

#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/ops/reduce.h"

namespace taper {
namespace {

TEST(Median, ReturnsLowerMedianAndFirstIndex) {
  const Tensor x = tensor({{1., 3., 3., 2.}, {5., 5., 5., 1.}});
  EXPECT_EQ(x.median().item<double>(), 3);
  const auto [values, places] = x.median(1);
  EXPECT_TRUE(equal(values, tensor({2., 5.})));
  EXPECT_TRUE(equal(places, tensor({3, 0})));
  EXPECT_EQ(median(x, 0, true).first.shape(), Shape({1, 4}));
  EXPECT_TRUE(equal(median(x.t(), -2).first, values));
  EXPECT_EQ(tensor({3, 1, 2, 2}).median().item<std::int64_t>(), 2);
  EXPECT_EQ(tensor(7.).median(0).second.item<std::int64_t>(), 0);
}

TEST(Median, PropagatesNaN) {
  const Tensor x = tensor({{1., NAN, 0., NAN}, {4., 2., 3., 1.}});
  EXPECT_TRUE(std::isnan(x.median().item<double>()));
  const auto [values, places] = x.median(1);
  EXPECT_TRUE(std::isnan(values[0].item<double>()));
  EXPECT_EQ(values[1].item<double>(), 2);
  EXPECT_TRUE(equal(places, tensor({1, 1})));
}

TEST(Median, EmptyInput) {
  EXPECT_TRUE(std::isnan(zeros({0}).median().item<double>()));
  EXPECT_EQ(zeros({0, 3}).median(1).first.shape(), Shape({0}));
  EXPECT_THROW(zeros({2, 0}).median(1), IndexError);
  EXPECT_THROW(zeros({0}, {.dtype = int64}).median(), ValueError);
  EXPECT_THROW(ones({2}, {.dtype = DType::bool_}).median(), NotImplementedError);
  EXPECT_THROW(ones({2}).median(1), IndexError);
}

}  // namespace
}  // namespace taper
