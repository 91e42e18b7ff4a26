// uint16, uint32 and uint64: conversions, supported ops, promotion and errors as in PyTorch 2.15.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/tensor_impl.h"
#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/nn/functional.h"
#include "taper/ops/indexing.h"
#include "taper/taper.h"

namespace {

using namespace taper;
using taper::test::error_text;

constexpr DType kUnsigned[] = {uint16, uint32, uint64};

Tensor of(DType dtype, const NestedList& values) { return tensor(values, {.dtype = dtype}); }

TEST(Unsigned, MatchPyTorchNamesSizesAndText) {
  EXPECT_EQ(name_of(uint16), "uint16");
  EXPECT_EQ(size_of(uint16), 2u);
  EXPECT_EQ(size_of(uint32), 4u);
  EXPECT_EQ(size_of(uint64), 8u);
  EXPECT_TRUE(is_integral(uint16));
  EXPECT_FALSE(is_floating_point(uint64));
  EXPECT_EQ(of(uint16, {1, 65535}).str(), "tensor([    1, 65535], dtype=torch.uint16)");
  EXPECT_EQ(of(uint32, {4294967295}).str(), "tensor([4294967295], dtype=torch.uint32)");
  const std::uint64_t large[] = {std::numeric_limits<std::uint64_t>::max(), 1ull << 63};
  EXPECT_EQ(tensor(std::span<const std::uint64_t>(large), {2}).str(),
            "tensor([18446744073709551615,  9223372036854775808], dtype=torch.uint64)");
}

TEST(Unsigned, SupportFactoriesAndFills) {
  for (const DType d : kUnsigned) {
    EXPECT_TRUE(equal(zeros({2}, {.dtype = d}), of(d, {0, 0})));
    EXPECT_TRUE(equal(ones({2}, {.dtype = d}), of(d, {1, 1})));
    EXPECT_TRUE(equal(full({2}, 7, {.dtype = d}), of(d, {7, 7})));
    EXPECT_TRUE(equal(full({1}, 2.7, {.dtype = d}), of(d, {2})));
    EXPECT_TRUE(equal(full_like(of(d, {1, 2}), 3), of(d, {3, 3})));
    EXPECT_TRUE(equal(of(d, {1, 2}).zero_(), of(d, {0, 0})));
    EXPECT_EQ(empty({3}, {.dtype = d}).dtype(), d);
    EXPECT_TRUE(randint(10, {3}, {.dtype = d}).to(int64).lt(10).all().item<bool>());
  }
  EXPECT_EQ(of(uint16, {-1}).item<int>(), 65535);
  EXPECT_EQ(of(uint32, {-1}).item<std::int64_t>(), 4294967295);
  EXPECT_THROW(of(uint64, {-1}), ValueError);
  EXPECT_THROW(of(uint16, {65536}), ValueError);
  EXPECT_THROW(of(uint32, {4294967296}), ValueError);
}

TEST(Unsigned, ConvertAsInC) {
  const std::uint64_t large[] = {std::numeric_limits<std::uint64_t>::max(), 1ull << 63, 3};
  const Tensor u = tensor(std::span<const std::uint64_t>(large), {3});
  EXPECT_TRUE(equal(u.to(float64), tensor({0x1p64, 0x1p63, 3.0}, {.dtype = float64})));
  EXPECT_TRUE(equal(u.to(float32), tensor({0x1p64, 0x1p63, 3.0}, {.dtype = float32})));
  EXPECT_EQ(u.to(int64)[0].item<std::int64_t>(), -1);
  EXPECT_EQ(u.to(DType::bool_).sum().item<int>(), 3);
  EXPECT_EQ(u.to(uint16)[0].item<int>(), 65535);
  // 1e20 is out of range; 0 is the result of the conversion on x86.
  const Tensor f = tensor({-1.5, 300.7, 3e9, 1e19, 1e20}, {.dtype = float64});
  const Tensor converted = f.to(uint64);
  const std::uint64_t expected[] = {18446744073709551615ull, 300, 3000000000,
                                    10000000000000000000ull, 0};
  EXPECT_TRUE(equal(converted, tensor(std::span<const std::uint64_t>(expected), {5})));
  for (const DType d : kUnsigned)
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto other = static_cast<DType>(i);
      EXPECT_TRUE(equal(of(d, {1, 0, 1}).to(other).to(d), of(d, {1, 0, 1}))) << name_of(other);
      EXPECT_TRUE(equal(zeros({2}, {.dtype = other}).copy_(of(d, {1, 0})), of(other, {1, 0})));
    }
}

TEST(Unsigned, ItemRejectsValuesAboveInt64UnlessUint64IsRequested) {
  const std::uint64_t large[] = {(1ull << 63) + 5};
  const Tensor u = tensor(std::span<const std::uint64_t>(large), {1});
  EXPECT_EQ(u.item<std::uint64_t>(), large[0]);
  EXPECT_EQ(error_text<ValueError>([&] { (void)u.item(); }),
            "item: value cannot be converted to type int64_t without overflow: got "
            "9223372036854775813");
  EXPECT_EQ(of(uint64, {5}).item<int>(), 5);
  EXPECT_EQ(of(uint16, {5}).item<std::uint64_t>(), 5u);
}

TEST(Unsigned, SupportViewsAndIndexing) {
  const Tensor index = tensor({2, 0}), mask = tensor({true, false, true});
  for (const DType d : kUnsigned) {
    const Tensor a = of(d, {1, 5, 3}), b = of(d, {2, 5, 1});
    EXPECT_TRUE(equal(a.view({3, 1}).expand({3, 2}).t().contiguous()[1], a));
    EXPECT_TRUE(equal(a.index({index}), of(d, {3, 1})));
    EXPECT_TRUE(equal(a.index({mask}), of(d, {1, 3})));
    EXPECT_TRUE(equal(a.index_select(0, index), of(d, {3, 1})));
    EXPECT_TRUE(equal(a.gather(0, index), of(d, {3, 1})));
    EXPECT_TRUE(equal(cat({a, b}), of(d, {1, 5, 3, 2, 5, 1})));
    EXPECT_TRUE(equal(stack({a, b})[1], b));
    EXPECT_TRUE(equal(where(mask, a, b), of(d, {1, 5, 3})));
    EXPECT_TRUE(equal(a.scatter(0, index, of(d, {2, 5})), of(d, {5, 5, 2})));
    EXPECT_TRUE(equal(a.scatter_add(0, index, of(d, {2, 5})), of(d, {6, 5, 5})));
    EXPECT_TRUE(equal(cat({a, tensor({1.0})}), tensor({1.0, 5.0, 3.0, 1.0})));
  }
}

TEST(Unsigned, SupportSameOpsAsPyTorch) {
  for (const DType d : kUnsigned) {
    const Tensor a = of(d, {1, 5, 3}), b = of(d, {2, 5, 1});
    EXPECT_TRUE(equal(a == b, tensor({false, true, false})));
    EXPECT_TRUE(equal(a != b, tensor({true, false, true})));
    EXPECT_TRUE(equal(a == 5, tensor({false, true, false})));
    EXPECT_TRUE(equal(a * b, of(d, {2, 25, 3})));
    EXPECT_TRUE(equal(a / b, tensor({0.5, 1.0, 3.0})));
    EXPECT_TRUE(equal(a + 1.5, tensor({2.5, 6.5, 4.5})));
    EXPECT_TRUE(equal(a.floor(), a));
    EXPECT_EQ(a.sum().dtype(), int64);
    EXPECT_EQ(a.sum().item<int>(), 9);
    EXPECT_EQ(a.prod().item<int>(), 15);
    EXPECT_TRUE(equal(a.cumsum(0), tensor({1, 6, 9})));
    EXPECT_TRUE(a.all().item<bool>());
    EXPECT_TRUE(a.isfinite().all().item<bool>());
    EXPECT_EQ(a.sqrt().dtype(), float32);
  }
  EXPECT_TRUE(equal(maximum(of(uint16, {1, 65535}), of(uint16, {2, 3})), of(uint16, {2, 65535})));
  EXPECT_TRUE(equal(of(uint32, {1, 4294967295}).clamp(0, 2), of(uint32, {1, 2})));
  EXPECT_TRUE(equal(of(uint16, {65535}) * of(uint16, {2}), of(uint16, {65534})));
}

// Unlike in PyTorch, ops that order uint64 are not supported, because integer kernels compute in
// int64.
TEST(Unsigned, RejectOtherOps) {
  for (const DType d : kUnsigned) {
    const Tensor a = of(d, {1, 5, 3});
    const std::string type = d == uint16 ? "'UInt16'" : d == uint32 ? "'UInt32'" : "'UInt64'";
    const auto says = [&](const std::string& op, auto f) {
      EXPECT_EQ(error_text<NotImplementedError>(f), op + ": not implemented for " + type);
    };
    says("add", [&] { (void)(a + a); });
    says("sub", [&] { (void)(a - 1); });
    says("lt", [&] { (void)(a < a); });
    says("neg", [&] { (void)(-a); });
    says("abs", [&] { (void)a.abs(); });
    says("sign", [&] { (void)a.sign(); });
    says("logical_not", [&] { (void)a.logical_not(); });
    says("max", [&] { (void)a.max(); });
    says("median", [&] { (void)a.median(); });
    says("count_nonzero", [&] { (void)a.nonzero(); });
    says("masked_fill", [&] { (void)a.masked_fill(tensor({true, false, true}), 7); });
    says("index_fill", [&] { (void)a.index_fill(0, tensor({0}), 7); });
    says("index_put", [&] { a.clone().index_put_({tensor({0})}, of(d, {4})); });
    says("mm", [&] { (void)a.view({1, 3}).mm(a.view({3, 1})); });
    says("arange", [&] { (void)arange(4, {.dtype = d}); });
    says("linspace", [&] { (void)linspace(0, 4, 3, {.dtype = d}); });
    says("eye", [&] { (void)eye(2, -1, {.dtype = d}); });
    EXPECT_THROW(a.clone().random_(), NotImplementedError);
    EXPECT_THROW(a.clone().bernoulli_(0.5), Error);
    EXPECT_THROW(randperm(3, {.dtype = d}), Error);
    EXPECT_THROW(a.mean(), DTypeError);
  }
  EXPECT_THROW(maximum(of(uint64, {1}), of(uint64, {2})), NotImplementedError);
}

TEST(Unsigned, PromoteWithFloatingPointTypesOnly) {
  EXPECT_EQ(promote_types(uint16, float16), float16);
  EXPECT_EQ(promote_types(float64, uint64), float64);
  EXPECT_EQ(promote_types(uint32, uint32), uint32);
  EXPECT_EQ(error_text<DTypeError>([] { promote_types(uint16, int64); }),
            "promote_types: Promotion for uint16, uint32, uint64 types is not supported, attempted "
            "to promote UInt16 and Long");
  const Tensor a = of(uint16, {1, 2});
  EXPECT_EQ(error_text<DTypeError>([&] {
              (void)(a == of(uint32, {1, 2}));
            }),
            "promote_types: Promotion for uint16, uint32, uint64 types is not supported, attempted "
            "to promote UInt16 and UInt32");
  EXPECT_THROW((void)(a == tensor({true, false})), DTypeError);
  EXPECT_EQ(error_text<DTypeError>([&] { a.clone().add_(1.5); }),
            "add_: result type Float can't be cast to the desired output type UInt16");
  EXPECT_TRUE(equal(ones({2}).add_(a), tensor({2.0, 3.0})));
  EXPECT_EQ(equal(of(uint64, {1}), of(uint64, {1})), true);
  const std::uint64_t large[] = {std::numeric_limits<std::uint64_t>::max()};
  EXPECT_FALSE(equal(tensor(std::span<const std::uint64_t>(large), {1}), tensor({-1})));
}

TEST(Unsigned, RejectRequiresGradAndDefaultDtype) {
  EXPECT_THROW(zeros({1}, {.dtype = uint16, .requires_grad = true}), Error);
  EXPECT_THROW(set_default_dtype(uint32), DTypeError);
}

}  // namespace
