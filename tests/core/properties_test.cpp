// Properties of tensors and dtypes, and functions that call a method.
#include <gtest/gtest.h>

#include <cmath>

#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;

TEST(Properties, DTypesAreSigned) {
  for (const DType t : {float64, float32, float16, bfloat16, int64, int32, int16, int8})
    EXPECT_TRUE(is_signed(t)) << name_of(t);
  for (const DType t : {uint8, bool_, uint16, uint32, uint64})
    EXPECT_FALSE(is_signed(t)) << name_of(t);
  EXPECT_TRUE(zeros({1}).is_signed());
  EXPECT_FALSE(is_signed(zeros({1}, {.dtype = uint8})));
}

TEST(Properties, CanCastFollowsPromotion) {
  EXPECT_FALSE(can_cast(float32, int32));
  EXPECT_FALSE(can_cast(int8, bool_));
  EXPECT_FALSE(can_cast(float32, bool_));
  EXPECT_TRUE(can_cast(int32, float16));
  EXPECT_TRUE(can_cast(bool_, int8));
  EXPECT_TRUE(can_cast(int64, uint8));
  EXPECT_TRUE(can_cast(float64, bfloat16));
}

TEST(Properties, IsNonzeroRequiresOneElement) {
  EXPECT_FALSE(is_nonzero(zeros({})));
  EXPECT_TRUE(is_nonzero(tensor({true})));
  EXPECT_TRUE(full({}, NAN).is_nonzero());
  EXPECT_THROW(static_cast<void>(is_nonzero(zeros({2}))), RuntimeError);
  EXPECT_THROW(static_cast<void>(is_nonzero(zeros({0}))), RuntimeError);
}

TEST(Properties, IsSetToComparesMemoryAndLayout) {
  const Tensor x = zeros({2, 3});
  EXPECT_TRUE(x.is_set_to(x.view({2, 3})));
  EXPECT_FALSE(x.is_set_to(x.t()));
  EXPECT_FALSE(x.is_set_to(x.clone()));
  EXPECT_FALSE(x[0].is_set_to(x[1]));
  EXPECT_TRUE(is_same_size(x, ones({2, 3})));
  EXPECT_FALSE(x.is_same_size(x.t()));
}

TEST(Properties, FunctionsCallMethods) {
  const Tensor x = tensor({0., 1., 2., 3.});
  EXPECT_TRUE(as_strided_(x, {2}, {2}).is_same(x));
  EXPECT_TRUE(equal(x, tensor({0., 2.})));
  EXPECT_EQ(resize_as_(x, zeros({1, 2})).shape(), Shape({1, 2}));
  const Tensor y = ones({1}).requires_grad_() * 2;
  EXPECT_FALSE(detach_(y).requires_grad());
  EXPECT_FALSE(is_inference(y));
  const InferenceMode guard;
  EXPECT_TRUE(is_inference(ones({1})));
}

TEST(Properties, RsubAcceptsTensors) {
  EXPECT_TRUE(equal(rsub(tensor({1, 2}), tensor({5., 6.}), 2), tensor({3., 2.})));
}

TEST(Properties, BackwardAccumulatesInGivenTensors) {
  const Tensor x = ones({2}).requires_grad_(), y = ones({2}).requires_grad_();
  (x * y).sum().backward(Tensor(), false, false, {x});
  EXPECT_TRUE(equal(x.grad(), ones({2})));
  EXPECT_FALSE(y.grad().defined());
}

}  // namespace
