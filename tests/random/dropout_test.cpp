#include "taper/nn/functional/dropout.h"

#include <gtest/gtest.h>

#include "core/tensor_impl.h"
#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"

namespace {

using namespace taper;
using test::error_text, test::WarningCapture;

TEST(Dropout, ZeroesOrScales) {
  manual_seed(1);
  const Tensor y = F::dropout(ones({1000}), 0.25);
  int kept = 0;
  for (const float v : y.data<float>()) {
    EXPECT_TRUE(v == 0 || v == 1 / 0.75f);
    kept += v != 0;
  }
  EXPECT_NEAR(kept, 750, 60);
}

TEST(Dropout, ReturnsInputIfNothingIsDropped) {
  manual_seed(1);
  const auto before = get_rng_state();
  const Tensor x = ones({4, 3, 2});
  EXPECT_TRUE(F::dropout(x, 0.5, {.training = false}).is_same(x));
  EXPECT_TRUE(F::dropout(x, 0).is_same(x));
  EXPECT_TRUE(F::dropout2d(x, 0).is_same(x));
  EXPECT_TRUE(F::alpha_dropout(x, 0.5).is_same(x));  // its default is training = false
  EXPECT_EQ(F::dropout(zeros({0, 3})).numel(), 0);
  EXPECT_TRUE(equal(F::dropout(x, 1), zeros({4, 3, 2})));
  EXPECT_TRUE(equal(F::alpha_dropout(x, 1, {.training = true}), zeros({4, 3, 2})));
  EXPECT_EQ(get_rng_state(), before);
}

TEST(Dropout, GradientUsesSameMask) {
  manual_seed(2);
  const Tensor x = ones({50}, {.requires_grad = true});
  const Tensor y = F::dropout(x, 0.4);
  EXPECT_EQ(y.grad_fn().name(), "MulBackward0");
  const Tensor mask = y.detach();
  const Tensor g = ones({50}, {.requires_grad = true});
  const Tensor first = autograd::grad(std::span(&y, 1), std::span(&x, 1),
                                      {.grad_outputs = {g}, .create_graph = true})[0];
  EXPECT_TRUE(equal(first.detach(), mask));
  EXPECT_TRUE(equal(autograd::grad(first.sum(), g), mask));
}

TEST(Dropout, WorksInPlace) {
  manual_seed(3);
  const Tensor expected = F::dropout(ones({30}), 0.5);
  manual_seed(3);
  const Tensor leaf = ones({30}, {.requires_grad = true}), x = leaf.mul(1);
  EXPECT_TRUE(F::dropout(x, 0.5, {.inplace = true}).is_same(x));
  EXPECT_TRUE(equal(x.detach(), expected));
  x.sum().backward();
  EXPECT_TRUE(equal(leaf.grad(), expected));
  EXPECT_THROW(F::dropout(leaf, 0.5, {.inplace = true}), RuntimeError);
}

TEST(Dropout, DropsWholeChannels) {
  manual_seed(4);
  for (const Tensor& y : {F::dropout1d(ones({8, 6, 5})), F::dropout2d(ones({8, 6, 5, 1})),
                          F::dropout1d(ones({48, 5})), F::dropout3d(ones({48, 5, 1, 1})),
                          F::feature_alpha_dropout(ones({8, 6, 5}), 0.5, {.training = true})}) {
    const auto v = y.data<float>();
    int changes = 0;
    for (std::size_t c = 0; c < 48; ++c) {
      for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(v[5 * c + i], v[5 * c]);
      changes += c > 0 && v[5 * c] != v[5 * c - 1];
    }
    EXPECT_GT(changes, 5);
  }
}

TEST(Dropout, PreservesPhysicalLayoutAndValues) {
  const Shape shape{2, 5, 3, 4};
  manual_seed(6);
  const Tensor plain = randn(shape);
  const Tensor last = new_tensor(shape, DType::f32, Device::cpu(), PhysicalLayout::channels_last);
  last.copy_(plain);
  ASSERT_TRUE(is_channels_last(impl(last)));
  manual_seed(7);
  const Tensor expected = F::dropout(plain);
  manual_seed(7);
  const Tensor got = F::dropout(last);
  EXPECT_TRUE(is_channels_last(impl(got)));
  EXPECT_TRUE(equal(got, expected));
}

TEST(Dropout, AlphaDropoutPreservesMeanAndVariance) {
  manual_seed(8);
  const Tensor y = F::alpha_dropout(randn({100000}), 0.3, {.training = true});
  double sum = 0, squares = 0;
  for (const float v : y.data<float>()) sum += v, squares += v * v;
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

TEST(Dropout, RejectsInvalidArguments) {
  EXPECT_EQ(error_text([] { F::dropout(ones({2}), 2.0); }),
            "dropout probability has to be between 0 and 1, but got 2.0");
  EXPECT_EQ(error_text([] {
              F::feature_alpha_dropout(ones({2, 2}), -0.1);
            }),
            "dropout probability has to be between 0 and 1, but got -0.1");
  EXPECT_EQ(error_text([] { F::dropout1d(ones({2})); }),
            "dropout1d: Expected 2D or 3D input, but received a 1D input: got shape [2]");
  EXPECT_THROW(F::feature_alpha_dropout(ones({5}), 0.5, {.training = true}), ShapeError);
  EXPECT_THROW(F::dropout(ones({2}, {.dtype = int64})), DTypeError);
}

TEST(Dropout, WarnsOfUnexpectedRanks) {
  const WarningCapture warnings;
  F::dropout2d(ones({2, 3}));
  F::dropout2d(ones({2, 3, 4, 5}));
  F::dropout3d(ones({2, 3, 4}));
  EXPECT_EQ(warnings.count(), 2u);
}

}  // namespace
