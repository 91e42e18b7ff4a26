// gradient of samples, compared with values of PyTorch 2.15.
#include <gtest/gtest.h>

#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/ops/gradient.h"

namespace {

using namespace taper;

const std::vector<float> kSamples{1, 4, 9, 20, 7};

TEST(SampledGradient, UsesCentralDifferences) {
  const Tensor x = tensor(kSamples);
  EXPECT_TRUE(equal(gradient(x).at(0), tensor({3.0, 4.0, 8.0, -1.0, -13.0})));
  EXPECT_TRUE(equal(gradient(x, 1, {}, 2).at(0), tensor({2.0, 4.0, 8.0, -1.0, -25.0})));
  EXPECT_TRUE(equal(gradient(arange(4)).at(0), ones({4})));
}

TEST(SampledGradient, UsesCoordinates) {
  const Tensor x = tensor(kSamples);
  const std::vector<Tensor> at{tensor({0.0, 1.0, 3.0, 4.0, 7.0})};
  EXPECT_TRUE(allclose(gradient(x, at).at(0),
                       tensor({3.0, 17.0 / 6, 49.0 / 6, 43.0 / 6, -13.0 / 3}), 1e-6, 1e-6));
  EXPECT_TRUE(allclose(gradient(x, at, {}, 2).at(0),
                       tensor({19.0 / 6, 17.0 / 6, 49.0 / 6, 43.0 / 6, -95.0 / 6}), 1e-6, 1e-6));
}

TEST(SampledGradient, ReturnsATensorForEachDimension) {
  const Tensor x = tensor(kSamples).reshape({5, 1}).expand({5, 3});
  const auto all = gradient(x, std::vector<Scalar>{2, 3});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(equal(all[0].select(1, 2), tensor({1.5, 2.0, 4.0, -0.5, -6.5})));
  EXPECT_TRUE(equal(all[1], zeros({5, 3})));
  EXPECT_TRUE(equal(gradient(x, 2, Dims{-1}).at(0), zeros({5, 3})));
  EXPECT_TRUE(gradient(tensor(1.0)).empty());
}

TEST(SampledGradient, IsDifferentiable) {
  const Tensor x = tensor(kSamples).requires_grad_();
  gradient(x).at(0)[0].backward();
  EXPECT_TRUE(equal(x.grad(), tensor({-1.0, 1.0, 0.0, 0.0, 0.0})));
}

TEST(SampledGradient, RejectsInvalidArguments) {
  const Tensor x = tensor(kSamples);
  EXPECT_THROW(static_cast<void>(gradient(x, 1, {}, 3)), ValueError);
  EXPECT_THROW(static_cast<void>(gradient(x.slice(0, 0, 2), 1, {}, 2)), ShapeError);
  EXPECT_THROW(static_cast<void>(gradient(x, 1, Dims{0, -1})), ValueError);
  EXPECT_THROW(static_cast<void>(gradient(x, 1, Dims{1})), IndexError);
  EXPECT_THROW(static_cast<void>(gradient(x, std::vector<Scalar>{1, 2})), ShapeError);
  EXPECT_THROW(static_cast<void>(gradient(x, std::vector<Tensor>{zeros({4})})), ShapeError);
  EXPECT_THROW(static_cast<void>(gradient(x, std::vector<Tensor>{zeros({5, 1})})), ShapeError);
  EXPECT_THROW(static_cast<void>(gradient(x.to(uint8))), NotImplementedError);
}

}  // namespace
