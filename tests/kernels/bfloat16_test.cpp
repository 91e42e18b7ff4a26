// Vectors of floats rounded to bfloat16, against the conversion of single elements, on every
// instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "cpu/simd/targets.h"
#include "taper/core/dtype.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bfloat16_test.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/bfloat16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {

/// Rounds n floats, a multiple of 64.
void round_to_bfloat16(const float* x, std::uint16_t* y, std::size_t n) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < n; ++i) y[i] = BFloat16(x[i]).bits;
#else
  const hn::ScalableTag<float> d;
  const hn::Repartition<std::uint16_t, decltype(d)> bits;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < n; i += 2 * lanes)
    hn::StoreU(bfloat16_bits(d, hn::LoadU(d, x + i), hn::LoadU(d, x + i + lanes)), bits, y + i);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/targets.h"

namespace taper::cpu {
namespace {

HWY_EXPORT(round_to_bfloat16);

// Every value of the upper bits, NaNs of every payload among them, with lower bits on both sides of
// the tie.
TEST(BFloat16Vectors, RoundAsSingleElements) {
  std::vector<float> x;
  for (const std::uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
    for (std::uint32_t high = 0; high < 1u << 16; ++high)
      x.push_back(std::bit_cast<float>(high << 16 | low));
  test::for_each_target([&] {
    std::vector<std::uint16_t> y(x.size());
    HWY_DYNAMIC_DISPATCH(round_to_bfloat16)(x.data(), y.data(), x.size());
    std::size_t differences = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (y[i] != BFloat16(x[i]).bits && differences++ == 0)
        ADD_FAILURE() << std::hex << std::bit_cast<std::uint32_t>(x[i]) << " is rounded to "
                      << y[i];
    EXPECT_EQ(differences, 0u);
  });
}

}  // namespace
}  // namespace taper::cpu
#endif
