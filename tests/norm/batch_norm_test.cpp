// Batch normalization: statistics, first and second gradients in both modes, errors.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional/normalization.h"
#include "taper/ops/conv.h"
#include "taper/ops/norm.h"

namespace taper {
namespace {

using test::error_text;
namespace F = nn::functional;

const TensorOptions kDouble{.dtype = DType::f64};

TEST(BatchNorm, NormalizesAndUpdatesRunningStatistics) {
  manual_seed(5);
  for (const Shape& s : {Shape{8, 3}, Shape{4, 3, 5}, Shape{4, 3, 5, 6}, Shape{2, 3, 2, 3, 4}}) {
    const Tensor x = randn(s) * 3 + 2, mean = zeros({3}), var = ones({3});
    const Tensor y = batch_norm(x, {}, {}, mean, var, true, 0.1, 0, true);
    const int n = static_cast<int>(x.numel() / 3);
    const Tensor rows = x.transpose(0, 1).reshape({3, n}), m = rows.sum(Dims{1}) * (1. / n);
    const Tensor centered = rows + m.unsqueeze(1) * -1;
    const Tensor unbiased = (centered * centered).sum(Dims{1}) * (1. / (n - 1));
    EXPECT_TRUE(allclose(mean, m * 0.1, 1e-5, 1e-6));
    EXPECT_TRUE(allclose(var, unbiased * 0.1 + 0.9, 1e-5, 1e-6));
    const Tensor out = y.transpose(0, 1).reshape({3, n});
    EXPECT_TRUE(allclose(out.sum(Dims{1}), zeros({3}), 1e-5, 1e-4));
    EXPECT_TRUE(allclose((out * out).sum(Dims{1}), full({3}, double(n)), 1e-4, 1e-4));
    EXPECT_FALSE(mean.requires_grad());
  }
}

TEST(BatchNorm, UsesRunningStatisticsInEvaluation) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  const Tensor mean = tensor({1.f, 2.f}), var = tensor({4.f, 1.f});
  const Tensor y = F::batch_norm(
      x, mean, var, {.weight = tensor({2.f, 1.f}), .bias = tensor({0.f, 5.f}), .eps = 0});
  EXPECT_TRUE(allclose(y, tensor({{0.f, 5.f}, {2.f, 7.f}})));
  EXPECT_TRUE(equal(mean, tensor({1.f, 2.f})));
}

TEST(BatchNorm, GradientsAreCorrectTwiceInBothModes) {
  manual_seed(6);
  const Tensor mean = randn({3}, kDouble), var = rand({3}, kDouble) + 0.5;
  for (const bool training : {true, false})
    for (const Shape& s : {Shape{5, 3}, Shape{2, 3, 2, 2}}) {
      const std::vector<Tensor> at = {randn(s, kDouble).requires_grad_(),
                                      randn({3}, kDouble).requires_grad_(),
                                      randn({3}, kDouble).requires_grad_()};
      const auto f = [&](const std::vector<Tensor>& v) {
        return std::vector<Tensor>{
            batch_norm(v[0], v[1], v[2], training ? OptionalTensorRef() : mean,
                       training ? OptionalTensorRef() : var, training, 0.1, 1e-5, true)};
      };
      EXPECT_TRUE(autograd::gradcheck(f, at)) << training << s.str();
      EXPECT_TRUE(autograd::gradgradcheck(f, at)) << training << s.str();
    }
}

TEST(BatchNorm, PreservesLayoutOfInput) {
  manual_seed(7);
  const Tensor plain = randn({2, 20, 5, 6}), w = eye(20).view({20, 20, 1, 1});
  const Tensor a = plain.clone().requires_grad_(),
               b = conv2d(plain, w).detach().clone().requires_grad_();
  const Tensor y = F::batch_norm(a, {}, {}, {.training = true}),
               z = F::batch_norm(b, {}, {}, {.training = true});
  EXPECT_TRUE(allclose(y, z, 1e-5, 1e-5));
  const Tensor g = randn(y.shape());
  EXPECT_TRUE(
      allclose(autograd::grad((y * g).sum(), a), autograd::grad((z * g).sum(), b), 1e-5, 1e-5));
}

// Running statistics can change between forward and backward, for example if a network is evaluated
// and then trained. Backward must use their values in forward.
TEST(BatchNorm, BackwardUsesStatisticsOfForward) {
  const Tensor x = randn({4, 2}, kDouble).requires_grad_();
  const Tensor mean = zeros({2}, kDouble), var = full({2}, 4., kDouble);
  const Tensor y = batch_norm(x, {}, {}, mean, var, false, 0.1, 0, true);
  var.fill_(1);
  EXPECT_TRUE(allclose(autograd::grad(y.sum(), x), full({4, 2}, 0.5, kDouble)));
}

TEST(BatchNorm, HasNodeOfPyTorch) {
  const Tensor x = randn({4, 2}).requires_grad_();
  EXPECT_EQ(F::batch_norm(x, {}, {}, {.training = true}).grad_fn().name(),
            "NativeBatchNormBackward0");
}

TEST(BatchNormErrors, MatchPyTorch) {
  const Tensor x = zeros({2, 4, 3, 3}), three = zeros({3}), four = zeros({4});
  EXPECT_EQ(error_text<RuntimeError>([&] { F::batch_norm(x, {}, {}); }),
            "batch_norm: running_mean must be defined in evaluation mode");
  EXPECT_EQ(error_text<ShapeError>([&] { F::batch_norm(x, three, four); }),
            "batch_norm: running_mean should contain 4 elements not 3 (shape [3])");
  EXPECT_EQ(error_text<ValueError>([&] {
              F::batch_norm(zeros({1, 3}), {}, {}, {.training = true});
            }),
            "batch_norm: Expected more than 1 value per channel when training, got input size "
            "torch.Size([1, 3])");
  EXPECT_EQ(error_text<ValueError>([&] { F::batch_norm(x, four, {}, {.training = true}); }),
            "batch_norm: running_mean and running_var must either both be None or neither be None");
  EXPECT_THROW(F::batch_norm(x, {}, four, {.training = true}), ValueError);
  EXPECT_THROW(F::instance_norm(x, {.running_var = four}), ValueError);
  EXPECT_THROW(F::batch_norm(zeros({3}), {}, {}, {.training = true}), ShapeError);
  EXPECT_THROW(F::batch_norm(zeros({2, 3}, {.dtype = DType::i64}), {}, {}, {.training = true}),
               NotImplementedError);
  EXPECT_THROW(F::batch_norm(x, four.to(DType::f64), four, {.training = true}), DTypeError);
  EXPECT_THROW(batch_norm(x, {}, {}, four, four, true, 0.1, -1, true), ValueError);
  const Tensor mean = zeros({4});
  EXPECT_THROW(F::batch_norm(x, mean, three, {.training = true}), ShapeError);
  EXPECT_TRUE(equal(mean, zeros({4}))) << "a refused call moved the statistics";
  EXPECT_EQ(F::batch_norm(zeros({0, 3, 2, 2}), {}, {}, {.training = true}).shape(),
            (Shape{0, 3, 2, 2}));
  EXPECT_EQ(F::batch_norm(zeros({0}), zeros({0}), zeros({0})).shape(), Shape({0}));
  EXPECT_THROW(group_norm(zeros({1, 0, 2}), 1), ShapeError);
}

}  // namespace
}  // namespace taper
