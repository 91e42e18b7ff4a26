// Calls of pooling functions by position and by fields of the options.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional/pooling.h"
#include "taper/ops/random.h"

namespace taper {
namespace {

namespace F = nn::functional;
using test::error_text;

TEST(PoolingCalls, AcceptWindowsByPositionAndByName) {
  manual_seed(1);
  const Tensor x = randn({1, 2, 8, 8});
  const Tensor y = F::max_pool2d(x, 3, {.stride = {2, 1}, .padding = {1, 0}});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 4, 6}));
  EXPECT_TRUE(equal(F::max_pool2d(x, {3, 3}, {2, 1}, {1, 0}), y));
  EXPECT_TRUE(equal(F::max_pool2d(x, 3, Shape{2, 1}, Shape{1, 0}, 1, false), y));
  EXPECT_TRUE(equal(F::max_pool2d_with_indices(x, 3, {2, 1}, {1, 0}).first, y));
  EXPECT_EQ(F::max_pool2d(x, 2, 2, 1, 1, true).shape(), (Shape{1, 2, 5, 5}));
  EXPECT_EQ(F::max_pool2d(x, {2, 2}, {1, 2}).shape(), (Shape{1, 2, 7, 4}));
  EXPECT_TRUE(equal(F::max_pool2d(x, 2, {}), F::max_pool2d(x, 2)));
  EXPECT_TRUE(equal(F::max_pool2d(x, 2, {}, 1), F::max_pool2d(x, 2, {.padding = 1})));
  EXPECT_TRUE(equal(F::max_pool2d(x, 2, {.stride = {}}), F::max_pool2d(x, 2, 2)));
  EXPECT_TRUE(equal(F::avg_pool2d(x, 3, {2, 3}, {1, 0}),
                    F::avg_pool2d(x, 3, {.stride = {2, 3}, .padding = {1, 0}})));
}

TEST(PoolingCalls, AcceptWindowsOfOneAndThreeDimensions) {
  manual_seed(2);
  const Tensor line = randn({1, 2, 9}), volume = randn({1, 2, 5, 6, 7});
  EXPECT_TRUE(equal(max_pool1d(line, 3, 2, 1), max_pool1d(line, 3, {.stride = 2, .padding = 1})));
  EXPECT_TRUE(equal(max_pool1d_with_indices(line, 3, 2, 1).first, max_pool1d(line, 3, 2, 1)));
  EXPECT_TRUE(equal(
      avg_pool1d(line, 2, 2, 1, true, false),
      avg_pool1d(line, 2,
                 {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false})));
  EXPECT_TRUE(equal(max_pool3d(volume, {2, 2, 3}, {1, 2, 2}),
                    max_pool3d(volume, {2, 2, 3}, {.stride = {1, 2, 2}})));
  EXPECT_TRUE(
      equal(F::avg_pool3d(volume, 2, {1, 2, 2}), F::avg_pool3d(volume, 2, {.stride = {1, 2, 2}})));
  EXPECT_TRUE(equal(F::lp_pool1d(line, 2, 3, 1), F::lp_pool1d(line, 2, 3, {.stride = 1})));
}

TEST(PoolingCalls, ReturnIndicesOfAdaptiveMaximaAsPyTorch) {
  const Tensor x = tensor({{1.f, 2.f, 3.f, 4.f, 5.f}});
  const auto [y, indices] = adaptive_max_pool1d(x, 3);  // torch.adaptive_max_pool1d
  EXPECT_EQ(indices.str(), "tensor([[1, 3, 4]])");
  EXPECT_TRUE(equal(F::adaptive_max_pool1d(x, 3), y));
}

TEST(PoolingCalls, NameUndefinedArguments) {
  const Tensor x = zeros({1, 2, 4, 4}), undefined;
  const auto text = [](auto call) { return error_text<ValueError>(call); };
  EXPECT_EQ(text([&] { max_pool1d(undefined, 2); }),
            "max_pool1d: argument 'input' is an undefined tensor");
  EXPECT_EQ(text([&] { F::max_pool2d(undefined, 2); }),
            "max_pool2d: argument 'input' is an undefined tensor");
  EXPECT_EQ(text([&] { F::avg_pool3d(undefined, 2); }),
            "avg_pool3d: argument 'input' is an undefined tensor");
  EXPECT_EQ(text([&] { F::adaptive_avg_pool2d(undefined, 2); }),
            "adaptive_avg_pool2d: argument 'input' is an undefined tensor");
  EXPECT_EQ(text([&] { F::max_unpool2d(x, undefined, 2); }),
            "max_unpool2d: argument 'indices' is an undefined tensor");
}

TEST(PoolingCalls, AcceptTheSizeOfInverses) {
  manual_seed(3);
  const auto [y, indices] = F::max_pool2d_with_indices(randn({2, 3, 7, 7}), 2);
  EXPECT_EQ(F::max_unpool2d(y, indices, 2, {.output_size = {7, 7}}).shape(), (Shape{2, 3, 7, 7}));
  EXPECT_EQ(F::max_unpool2d(y, indices % 36, {2, 2}, {2, 2}).shape(), (Shape{2, 3, 6, 6}));
}

}  // namespace
}  // namespace taper
