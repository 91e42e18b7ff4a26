#include <gtest/gtest.h>

#include <concepts>

#include "core/tensor_impl.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/functional.h"

namespace {

using namespace taper;

bool exposed(const Tensor& t) { return impl(t).storage->exposed(); }

TEST(Elements, ReadingDoesNotExposeTheStorage) {
  const Tensor t = tensor({1.f, 2.f, 3.f});
  EXPECT_EQ(t.const_data_ptr<float>()[1], 2);
  EXPECT_EQ(t.data_ptr<const float>()[1], 2);
  EXPECT_EQ(t.data<float>()[2], 3);
  EXPECT_EQ(t.data<const float>().size(), 3u);
  EXPECT_FALSE(exposed(t));
  static_assert(std::same_as<decltype(t.const_data_ptr<float>()), const float*>);
  static_assert(std::same_as<decltype(t.data_ptr<const float>()), const float*>);
  static_assert(std::same_as<decltype(t.data<float>()), std::span<const float>>);
  static_assert(std::same_as<decltype(t.data<const float>()), std::span<const float>>);
}

TEST(Elements, WritingExposesTheStorage) {
  const Tensor by_pointer = zeros({2}), by_mutable_pointer = zeros({2}), by_span = zeros({2});
  by_pointer.data_ptr<float>()[0] = 1;
  by_mutable_pointer.mutable_data_ptr<float>()[0] = 1;
  by_span.mutable_data<float>()[0] = 1;
  for (const Tensor& t : {by_pointer, by_mutable_pointer, by_span}) {
    EXPECT_TRUE(exposed(t));
    EXPECT_TRUE(equal(t, tensor({1.f, 0.f})));
  }
}

TEST(Elements, PointersIncludeOffsetOfView) {
  const Tensor t = arange(6).view({2, 3});
  EXPECT_EQ(t[1].const_data_ptr<std::int64_t>(), t.const_data_ptr<std::int64_t>() + 3);
  const Tensor row = t[1];
  EXPECT_EQ(row.data<std::int64_t>().size(), 3u);
}

TEST(Elements, ReadPointersSurviveChangeOfLayout) {
  const Tensor x = ones({1, 3, 4, 4}), w = ones({5, 3, 3, 3});
  const Tensor y = F::conv2d(x, w);
  const Tensor alias = y.detach();
  const float* const first = y.const_data_ptr<float>();  // converts the buffer to row-major order
  EXPECT_EQ(first[0], 27);
  y.add_(1);
  EXPECT_EQ(first[19], 28);
  EXPECT_EQ(y.mutable_data_ptr<float>(), first);
  EXPECT_EQ(alias.const_data_ptr<float>(), first);
  const Tensor z = F::conv2d(y, ones({2, 5, 1, 1}));
  EXPECT_EQ(z.data<float>()[7], 5 * 28);
  EXPECT_EQ(y.const_data_ptr<float>(), first);
}

TEST(Elements, RejectsWrongTypesAndStrides) {
  const Tensor t = zeros({2, 3});
  EXPECT_THROW((void)t.const_data_ptr<double>(), DTypeError);
  EXPECT_THROW((void)t.mutable_data<std::int64_t>(), DTypeError);
  const Tensor transposed = t.t();
  EXPECT_THROW((void)transposed.data<float>(), RuntimeError);
  EXPECT_THROW((void)Tensor().data_ptr<float>(), RuntimeError);
}

}  // namespace
