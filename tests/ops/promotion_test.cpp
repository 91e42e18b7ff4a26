// Functions of several tensors that promote them to a common dtype, or keep that of one of them, as
// PyTorch 2.15 does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/warning.h"
#include "taper/taper.h"

namespace {

using namespace taper;
namespace F = taper::nn::functional;

constexpr DType kAll[] = {float64, float32, float16, bfloat16, int64, int32, uint8, DType::bool_};

TEST(CosineSimilarity, PromotesIntegers) {
  const Tensor x = tensor({{1.0, 2.0, 3.0}}), y = tensor({{1, 2, 2}});
  // 11 / (sqrt(14) * 3)
  const double expected = 11 / (std::sqrt(14.0) * 3);
  for (const DType a : kAll)
    for (const DType b : kAll) {
      const Tensor left = x.to(a), right = y.to(b);
      if (!is_floating_point(a) && !is_floating_point(b)) {
        EXPECT_THROW(F::cosine_similarity(left, right), DTypeError);
        continue;
      }
      const Tensor z = F::cosine_similarity(left, right);
      EXPECT_EQ(z.dtype(), promote_types(a, b));
      if (a == DType::bool_ || b == DType::bool_) continue;  // other numbers
      // Each norm is rounded to the dtype of its tensor.
      const auto eps = [](DType t) { return is_floating_point(t) ? finfo(t).eps : 0; };
      EXPECT_NEAR(z.item<double>(), expected, std::max(eps(a), eps(b)));
    }
  EXPECT_EQ(test::error_message<DTypeError>([&] { return F::cosine_similarity(y, y); }),
            "cosine_similarity: expected common dtype to be floating point, yet common dtype is "
            "Long: got int64 and int64");
  // The gradient is that of the same numbers as floats.
  const Tensor leaf = x.to(float32).set_requires_grad(), other = leaf.detach().clone();
  other.set_requires_grad();
  const Tensor g = autograd::grad(F::cosine_similarity(leaf, y).sum(), leaf);
  const Tensor h = autograd::grad(F::cosine_similarity(other, y.to(float32)).sum(), other);
  EXPECT_TRUE(g.equal(h));
}

// The common dtype is that of the tensors, also of one without dimensions.
TEST(CosineSimilarity, BroadcastsTensorsWithoutDimensions) {
  const Tensor x = tensor({1.f, 2.f}), number = full({}, 2.0, {.dtype = float64});
  const Tensor y = F::cosine_similarity(x, number, 0);
  EXPECT_EQ(y.dtype(), float64);
  EXPECT_NEAR(y.item<double>(), 3 / std::sqrt(10.0), 1e-7);
  EXPECT_TRUE(F::cosine_similarity(zeros({2}), zeros({2}), 0).equal(full({}, 0.0)));
}

TEST(Lerp, PromotesWeightsWithoutDimensions) {
  for (const DType dtype : {float64, float32, float16, bfloat16}) {
    const Tensor start = full({2}, 1.0, {.dtype = dtype}), end = full({2}, 3.0, {.dtype = dtype});
    for (const DType w : {float64, float32, float16, bfloat16}) {
      const Tensor y = lerp(start, end, full({}, 0.5, {.dtype = w}));
      EXPECT_TRUE(y.equal(full({2}, 2.0, {.dtype = dtype})));
      if (w != dtype) { EXPECT_THROW(lerp(start, end, full({2}, 0.5, {.dtype = w})), DTypeError); }
    }
    EXPECT_THROW(lerp(start, end.to(int64), 0.5), DTypeError);
  }
  const Tensor y = lerp(tensor({1}), tensor({3}), full({}, 0.5));
  EXPECT_TRUE(y.equal(tensor({2.f})));
  const Tensor weight = full({}, 0.5, {.dtype = float64}).set_requires_grad();
  const Tensor g = autograd::grad(lerp(ones({2}), full({2}, 3.0), weight).sum(), weight);
  EXPECT_TRUE(g.equal(full({}, 4.0, {.dtype = float64})));
}

TEST(Ldexp, HasTheDtypeOfTheMantissaForIntegerExponents) {
  for (const DType dtype : {float64, float32, float16, bfloat16})
    for (const DType exponent : {int64, int32, int16, uint8}) {
      const Tensor x = full({2}, 1.5, {.dtype = dtype}), e = tensor({2, 3}).to(exponent);
      EXPECT_TRUE(ldexp(x, e).equal(tensor({6.0, 12.0}).to(dtype)));
      const Tensor y = x.clone();
      EXPECT_TRUE(y.ldexp_(e).equal(tensor({6.0, 12.0}).to(dtype)));
    }
  EXPECT_TRUE(ldexp(tensor({5}), tensor({-1})).equal(tensor({2.5f})));
  EXPECT_TRUE(ldexp(tensor({1.5f}), tensor({2.0}, {.dtype = float64}))
                  .equal(tensor({6.0}, {.dtype = float64})));
  // The power has the common dtype, not that of the exponent.
  const Tensor half = full({}, 2.5, {.dtype = float16});
  EXPECT_NEAR(ldexp(ones({1}, {.dtype = float64}), half).item<double>(), std::exp2(2.5), 1e-14);
  EXPECT_THROW(ldexp(ones({1}), tensor({true})), NotImplementedError);
  EXPECT_THROW(tensor({1}).ldexp_(tensor({3})), DTypeError);
}

// Powers of two that leave the range although the results do not.
TEST(Ldexp, OverflowsOnlyWithTheResult) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Tensor e = tensor({1100, -1100, 2090, -1074, 5000, -5000});
  const Tensor x = tensor({0x1p-1000, 0x1p1000, 0x1p-1074, 1.5, 1.0, 1.0}, {.dtype = float64});
  EXPECT_TRUE(ldexp(x, e).equal(
      tensor({0x1p100, 0x1p-100, 0x1p1016, 0x1p-1073, kInf, 0.0}, {.dtype = float64})));
  EXPECT_TRUE(ldexp(tensor({0x1p-100f, 0x1p100f, 1.f, -1.f}), tensor({200, -200, 200, 300}))
                  .equal(tensor(
                      {0x1p100f, 0x1p-100f, static_cast<float>(kInf), -static_cast<float>(kInf)})));
  const Tensor leaf = tensor({0x1p-100f}).set_requires_grad();
  EXPECT_EQ(autograd::grad(ldexp(leaf, tensor({100})).sum(), leaf).item<float>(), 0x1p100f);
}

TEST(Addr, PromotesAllOperands) {
  for (const DType a : kAll)
    for (const DType b : kAll)
      for (const DType c : kAll) {
        const Tensor x = ones({1, 2}).to(a), u = ones({1}).to(b), v = ones({2}).to(c);
        const DType expected = promote_types(a, promote_types(b, c));
        const Tensor y = addr(x, u, v);
        EXPECT_EQ(y.dtype(), expected);
        EXPECT_TRUE(y.equal(full({1, 2}, expected == DType::bool_ ? 1 : 2).to(expected)));
        const Tensor z = x.clone();
        if (can_cast(expected, a))
          EXPECT_TRUE(z.addr_(u, v).equal(y.to(a)));
        else
          EXPECT_THROW(z.addr_(u, v), DTypeError);
      }
  // The product of the vectors is rounded in the common dtype only.
  const Tensor u = full({1}, 1.0078125, {.dtype = bfloat16});
  EXPECT_EQ(addr(zeros({1, 1}), u, u).item<double>(), 1.0078125 * 1.0078125);
  EXPECT_EQ(test::error_message<ValueError>([] {
              return addr(ones({1, 1}).to(int64), tensor({1}), tensor({1}), 1, 0.5);
            }),
            "addr: For integral input tensors, argument alpha must not be a floating point number: "
            "got 0.5");
}

TEST(RmsNorm, HasTheDtypeOfTheInput) {
  for (const DType dtype : {float64, float32, float16, bfloat16})
    for (const DType w : kAll) {
      const Tensor x = tensor({{1.0, 1.0, 1.0}}).to(dtype), weight = ones({3}).to(w);
      const Tensor y = rms_norm(x, {3}, weight, 0.0);
      EXPECT_TRUE(y.equal(ones({1, 3}).to(dtype)));
    }
  const Tensor weight = ones({3}, {.dtype = float64}).set_requires_grad();
  EXPECT_EQ(autograd::grad(rms_norm(ones({1, 3}), {3}, weight).sum(), weight).dtype(), float64);
}

TEST(Losses, AcceptBoolTargetsOfSquaredDifferences) {
  const Tensor x = tensor({0.5f, -1.f}), target = tensor({true, false});
  EXPECT_TRUE(F::mse_loss(x, target, {.reduction = "none"}).equal(tensor({0.25f, 1.f})));
  EXPECT_TRUE(F::smooth_l1_loss(x, target, {.reduction = "none"}).equal(tensor({0.125f, 0.5f})));
  EXPECT_TRUE(F::huber_loss(x, target, {.reduction = "none"}).equal(tensor({0.125f, 0.5f})));
  EXPECT_THROW(F::l1_loss(x, target), Error);
}

TEST(Losses, HaveTheDtypeOfPyTorch) {
  const Tensor logits = full({2}, 0.25), p = full({2}, 0.5);
  for (const DType a : {float64, float32, float16, bfloat16})
    for (const DType b : {float64, float32, float16, bfloat16}) {
      EXPECT_EQ(F::soft_margin_loss(logits.to(a), ones({2}).to(b)).dtype(), a);
      EXPECT_EQ(F::binary_cross_entropy_with_logits(logits.to(a), p.to(b)).dtype(), b);
      EXPECT_EQ(F::binary_cross_entropy(p.to(a), p.to(a), {.weight = ones({2}).to(b)}).dtype(), a);
    }
  EXPECT_THROW(F::soft_margin_loss(tensor({1}), ones({1})), DTypeError);
}

TEST(Losses, RejectOperandsThatEnlargeTheLoss) {
  const Tensor x = ones({2, 1}), wide = ones({2, 3});
  EXPECT_EQ(test::error_message<ShapeError>([&] { return F::soft_margin_loss(x, wide); }),
            "soft_margin_loss: input of shape [2, 1] doesn't match the broadcast shape [2, 3]");
  EXPECT_EQ(F::soft_margin_loss(wide, x, {.reduction = "none"}).shape(), Shape({2, 3}));
  for (const OptionalTensorRef weight : {OptionalTensorRef(wide), OptionalTensorRef()})
    EXPECT_EQ(
        test::error_message<ShapeError>([&] {
          return F::binary_cross_entropy_with_logits(
              x, x, {.weight = weight, .pos_weight = weight ? OptionalTensorRef() : wide});
        }),
        "binary_cross_entropy_with_logits: target of shape [2, 1] doesn't match the broadcast "
        "shape [2, 3]");
  EXPECT_THROW(F::binary_cross_entropy(x * 0.5, x, {.weight = wide}), ShapeError);
}

TEST(Products, RejectOperandsOfDifferentDtypes) {
  const Tensor x = ones({2, 3}), y = ones({2, 3}, {.dtype = float64}), w = ones({4, 3, 3});
  EXPECT_EQ(test::error_message<DTypeError>([&] { return linalg::vecdot(x, y); }),
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type Float and "
            "y of type Double instead");
  EXPECT_EQ(
      test::error_message<DTypeError>([] { return linalg::vecdot(tensor({1}), tensor({1})); }),
      "linalg.vecdot: Expected a floating point or complex tensor as input. Got Long");
  EXPECT_THROW(F::bilinear(x, y, w), DTypeError);
  EXPECT_THROW(F::bilinear(x, x, w, ones({4}, {.dtype = float64})), DTypeError);
  EXPECT_EQ(F::bilinear(x, x, w, ones({4})).shape(), Shape({2, 4}));
}

TEST(Cov, RejectsWeightsThatSumToZero) {
  EXPECT_EQ(test::error_message<ValueError>([] {
              return cov(ones({2, 3}), 1, tensor({0, 0, 0}));
            }),
            "cov: weights sum to zero, can't be normalized");
}

TEST(Where, AcceptsBytesWithAWarning) {
  std::string warning;
  const auto previous = set_warning_handler([&](const std::string& text) { warning = text; });
  const Tensor y = where(tensor({1, 0}).to(uint8), ones({2}), zeros({2}));
  set_warning_handler(previous);
  EXPECT_TRUE(y.equal(tensor({1.f, 0.f})));
  EXPECT_EQ(warning,
            "where received a uint8 condition tensor. This behavior is deprecated and will be "
            "removed in a future version of PyTorch. Use a boolean condition instead.");
  EXPECT_THROW(where(tensor({1, 0}), ones({2}), zeros({2})), DTypeError);
}

}  // namespace
