// Factories: values, inferred dtypes, rejected arguments.
#include "taper/core/factory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/error_text.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"

namespace taper {
namespace {

using test::error_text;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Tensor, InfersDTypeFromValues) {
  EXPECT_EQ(tensor({1, 2}).str(), "tensor([1, 2])");
  EXPECT_EQ(tensor({true, false}).str(), "tensor([ True, False])");
  EXPECT_EQ(tensor({true, 2}).str(), "tensor([1, 2])");
  EXPECT_EQ(tensor({true, 2.5}).str(), "tensor([1.0000, 2.5000])");
  EXPECT_EQ(tensor(3).str(), "tensor(3)");
  EXPECT_EQ(tensor({{1.5, 2}, {3, 4}}).str(),
            "tensor([[1.5000, 2.0000],\n        [3.0000, 4.0000]])");
  EXPECT_EQ(tensor({1, 2}, {.dtype = float64}).dtype(), float64);
  EXPECT_EQ(tensor({1.7, -1.7}, {.dtype = int64}).str(), "tensor([ 1, -1])");
  EXPECT_EQ(tensor(1e300).item<double>(), kInf);
  EXPECT_TRUE(tensor({1., 2.}, {.requires_grad = true}).requires_grad());
}

TEST(Tensor, RejectsUnsuitableValues) {
  EXPECT_EQ(error_text<ValueError>([] {
              return tensor({{1, 2}, {3}});
            }),
            "tensor: expected sequence of length 2 at dim 1 (got 1)");
  EXPECT_NE(error_text<ValueError>([] { return tensor({{1, 2}, 3}); }), "");
  EXPECT_NE(error_text<ValueError>([] { return tensor({1, {2, 3}}); }), "");
  EXPECT_EQ(error_text<ValueError>([] { return tensor(300, {.dtype = int8}); }),
            "tensor: value cannot be converted to int8 without overflow: got 300");
  EXPECT_EQ(tensor(-1, {.dtype = uint8}).item<int>(), 255);
  EXPECT_NE(error_text<ValueError>([] { return tensor(-1.5, {.dtype = uint8}); }), "");
  EXPECT_NE(error_text<ValueError>([] { return tensor(std::nan(""), {.dtype = int64}); }), "");
  EXPECT_NE(error_text<ValueError>([] { return tensor(0x1p63, {.dtype = int64}); }), "");
  EXPECT_NE(error_text<DTypeError>([] { return tensor({1}, {.requires_grad = true}); }), "");
}

TEST(Tensor, CopiesSpansAndVectors) {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Tensor t = tensor(std::span<const float>(values), {2, 3});
  values[0] = 9;
  EXPECT_EQ(t.str(), "tensor([[1., 2., 3.],\n        [4., 5., 6.]])");
  EXPECT_EQ(tensor(std::vector<std::int32_t>{1, 2}).dtype(), int32);
  EXPECT_EQ(tensor(std::vector<Half>{Half(0.5F)}, {.dtype = float64}).item<double>(), 0.5);
  EXPECT_EQ(error_text<ShapeError>([&] {
              return tensor(std::span<const float>(values), {2, 2});
            }),
            "tensor: got 6 values, expected 4 for shape [2, 2]");
}

TEST(Tensor, IsInferenceTensorInInferenceMode) {
  const InferenceMode guard;
  EXPECT_TRUE(tensor({1., 2.}).is_inference());
  EXPECT_TRUE(arange(3).is_inference());
}

TEST(FromBlob, SharesMemoryAndCallsDeleter) {
  float memory[] = {1, 2, 3, 4, 5, 6};
  int freed = 0;
  {
    const Tensor t = from_blob(memory, {3, 2}, Shape{1, 3}, {}, [&](void* p) {
      EXPECT_EQ(p, memory);
      ++freed;
    });
    const Tensor row = t[1];
    memory[1] = 20;
    EXPECT_EQ(row.str(), "tensor([20.,  5.])");
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
  EXPECT_TRUE(from_blob(memory, {2, 3}).shares_storage_with(from_blob(memory, {2, 3})) == false);
}

TEST(FromBlob, RejectsBadGeometryWithoutCallingDeleter) {
  float memory[4] = {};
  int freed = 0;
  const auto deleter = [&](void*) { ++freed; };
  EXPECT_NE(error_text<ShapeError>([&] { return from_blob(memory, {-1}, {}, deleter); }), "");
  EXPECT_NE(error_text<ShapeError>([&] {
              return from_blob(memory, {2}, Shape{1, 1}, {}, deleter);
            }),
            "");
  EXPECT_NE(error_text<ShapeError>([&] { return from_blob(memory, {2}, Shape{-1}, {}, deleter); }),
            "");
  EXPECT_NE(error_text<ShapeError>([&] {
              return from_blob(memory, {std::int64_t{1} << 40, std::int64_t{1} << 40}, {}, deleter);
            }),
            "");
  EXPECT_NE(error_text<ValueError>([&] { return from_blob(nullptr, {1}, {}, deleter); }), "");
  EXPECT_NE(
      error_text<DeviceError>([&] { return from_blob(memory, {1}, {.device = "meta"}, deleter); }),
      "");
  EXPECT_NE(error_text<DTypeError>([&] {
              return from_blob(memory, {1}, {.dtype = int32, .requires_grad = true}, deleter);
            }),
            "");
  EXPECT_EQ(freed, 0);
}

TEST(Arange, CountsAndInfersDType) {
  EXPECT_EQ(arange(4).str(), "tensor([0, 1, 2, 3])");
  EXPECT_EQ(arange(2.5).str(), "tensor([0., 1., 2.])");
  EXPECT_EQ(arange(5, 2, -1).str(), "tensor([5, 4, 3])");
  EXPECT_EQ(arange(1, 4, 2.5, {.dtype = int32}).str(), "tensor([1, 3], dtype=torch.int32)");
  EXPECT_EQ(arange(std::int64_t{1} << 62, (std::int64_t{1} << 62) + 3)[2].item<std::int64_t>(),
            (std::int64_t{1} << 62) + 2);
  EXPECT_EQ(arange(0).str(), "tensor([], dtype=torch.int64)");
  EXPECT_EQ(arange(5, {.device = "meta"}).str(),
            "tensor(..., device='meta', size=(5,), dtype=torch.int64)");
}

TEST(Arange, RejectsUnboundedRanges) {
  EXPECT_EQ(error_text<ValueError>([] { return arange(0, 1, 0); }), "arange: step must be nonzero");
  EXPECT_NE(error_text<ValueError>([] { return arange(3, 0); }), "");
  EXPECT_EQ(error_text<ValueError>([] { return arange(0, kInf); }),
            "arange: unsupported range: 0 -> inf");
  EXPECT_NE(error_text<ValueError>([] { return arange(std::nan("")); }), "");
  EXPECT_NE(error_text<ValueError>([] {
              return arange(std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max());
            }),
            "");
  EXPECT_NE(error_text<DTypeError>([] { return arange(3, {.dtype = DType::bool_}); }), "");
}

TEST(Linspace, CountsFromBothEnds) {
  EXPECT_EQ(linspace(0, 1, 1).str(), "tensor([0.])");
  EXPECT_EQ(linspace(0, 1, 0).str(), "tensor([])");
  EXPECT_EQ(linspace(3, -2, 7, {.dtype = int32}).str(),
            "tensor([ 3,  2,  1,  0,  0, -1, -2], dtype=torch.int32)");
  const Tensor t = linspace(-1.1, 0.7, 7);
  const float step = (0.7F - -1.1F) / 6;
  const auto x = t.data<float>();
  EXPECT_EQ(x[2], std::fma(step, 2.0F, -1.1F));
  EXPECT_EQ(x[3], std::fma(-step, 3.0F, 0.7F));
  EXPECT_EQ(x[6], 0.7F);
  // The bits of PyTorch, which are not those of the nearest numbers.
  EXPECT_EQ(linspace(0, 1, 101)[53].item<float>(), 0.530000031F);
  EXPECT_EQ(linspace(0, 1, 101)[57].item<float>(), 0.569999993F);
  EXPECT_NE(error_text<ValueError>([] { return linspace(0, 1, -1); }), "");
}

TEST(Linspace, ReadsBoundsFromTensors) {
  const Tensor one = tensor(1), minus_two = tensor(-2., {.dtype = float64, .requires_grad = true});
  EXPECT_TRUE(equal(linspace(one, minus_two, 4), linspace(1, -2, 4)));
  EXPECT_TRUE(equal(linspace(one, -2, 4), linspace(1, -2, 4)));
  EXPECT_TRUE(
      equal(linspace(1, minus_two, 4, {.dtype = int32}), linspace(1, -2, 4, {.dtype = int32})));
  EXPECT_EQ(linspace(one, minus_two, 4).dtype(), float32);
  EXPECT_FALSE(linspace(one, minus_two, 4).requires_grad());
  EXPECT_EQ(error_text<ShapeError>([&] { return linspace(one, zeros({2}), 4); }),
            "linspace: only supports 0-dimensional start and end tensors: got end of shape [2]");
}

TEST(Eye, HasOnesOnDiagonal) {
  EXPECT_EQ(eye(2, 3).str(), "tensor([[1., 0., 0.],\n        [0., 1., 0.]])");
  EXPECT_EQ(eye(2, -1, {.dtype = DType::bool_}).str(),
            "tensor([[ True, False],\n        [False,  True]])");
  EXPECT_EQ(eye(0).shape(), Shape({0, 0}));
  EXPECT_NE(error_text<ValueError>([] { return eye(-1); }), "");
  EXPECT_NE(error_text<ValueError>([] { return eye(2, -2); }), "");
}

TEST(Empty, HasRequestedShapeAndRejectsNegativeSizes) {
  const Tensor t = empty({2, 0}, {.dtype = float16});
  EXPECT_EQ(t.str(), "tensor([], size=(2, 0), dtype=torch.float16)");
  EXPECT_EQ(empty_like(t).dtype(), float16);
  EXPECT_NE(error_text<ShapeError>([] { return empty({-1}); }), "");
  EXPECT_NE(error_text<ShapeError>([] { return empty({std::int64_t{1} << 62, 8}); }), "");
}

TEST(Equal, ComparesNumbersAcrossDTypes) {
  EXPECT_TRUE(equal(tensor({1, 2}), tensor({1., 2.})));
  EXPECT_FALSE(equal(tensor({1, 2}), tensor({1, 3})));
  EXPECT_FALSE(equal(tensor({1, 2}), tensor({{1, 2}})));
  EXPECT_FALSE(equal(tensor(std::nan("")), tensor(std::nan(""))));
  EXPECT_TRUE(equal(tensor({0.}), tensor({-0.})));
  EXPECT_TRUE(equal(tensor({{1, 2}, {3, 4}}).t(), tensor({{1, 3}, {2, 4}})));
  EXPECT_FALSE(equal(empty({0, 2}), empty({0, 3})));
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(equal(tensor(big), tensor(big - 1)));
  EXPECT_NE(error_text<DeviceError>([] { return equal(ones({2}), ones({2}, {.device = "meta"})); }),
            "");
}

TEST(AllClose, UsesBothTolerances) {
  EXPECT_TRUE(allclose(tensor({1., 100.}), tensor({1., 100.0001})));
  EXPECT_FALSE(allclose(tensor({1., 100.}), tensor({1., 100.1})));
  EXPECT_TRUE(allclose(tensor({0.}), tensor({0.01}), 0, 0.02));
  EXPECT_TRUE(allclose(tensor({kInf}), tensor({kInf})));
  EXPECT_FALSE(allclose(tensor({1.}), tensor({kInf})));
  const Tensor nan = tensor(std::nan(""));
  EXPECT_FALSE(allclose(nan, nan));
  EXPECT_TRUE(allclose(nan, nan, 1e-5, 1e-8, true));
  EXPECT_TRUE(allclose(ones({2, 3}), ones({1})));
  EXPECT_NE(error_text<ShapeError>([] { return allclose(ones({2}), ones({3})); }), "");
  EXPECT_NE(error_text<DTypeError>([] { return allclose(ones({2}), tensor({1, 1})); }), "");
  EXPECT_NE(error_text<ValueError>([] { return allclose(ones({2}), ones({2}), -1); }), "");
}

}  // namespace
}  // namespace taper
