// Vectorized conversions of 16-bit floats against those of single elements, on every instruction
// set.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "cpu/convert.h"
#include "kernels/targets.h"

namespace taper::cpu {
namespace {

/// Converts all elements in one run, and in runs of 1 to 39 elements.
template <class To, class From> void check_runs(const std::vector<From>& from) {
  const ConvertRun convert = find_conversion(dtype_of<To>, dtype_of<From>);
  ASSERT_NE(convert, nullptr);
  const auto compare = [&](std::size_t first, std::size_t count) {
    constexpr std::uint8_t kUntouched = 0xa5;
    std::vector<To> to(count + 1);
    std::memset(static_cast<void*>(to.data()), kUntouched, to.size() * sizeof(To));
    const To guard = to.back();
    convert(reinterpret_cast<std::byte*>(to.data()),
            reinterpret_cast<const std::byte*>(from.data() + first),
            static_cast<std::int64_t>(count));
    EXPECT_EQ(std::memcmp(&to[count], &guard, sizeof(To)), 0) << "after " << count << " elements";
    std::size_t differences = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const To expected = [&] {
        if constexpr (std::is_same_v<To, float>)
          return static_cast<float>(from[first + i]);
        else
          return To(from[first + i]);
      }();
      if (std::memcmp(&to[i], &expected, sizeof(To)) != 0 && differences++ == 0)
        ADD_FAILURE() << "element " << first + i << " of a run of " << count;
    }
    EXPECT_EQ(differences, 0u);
  };
  compare(0, from.size());
  for (std::size_t count = 1; count < 40; ++count) compare(from.size() / 2 - count, count);
}

template <class T> std::vector<T> all_values() {
  std::vector<T> values(1 << 16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i].bits = static_cast<std::uint16_t>(i);
  return values;
}

/// Every value of the upper 17 bits of a float, with lower bits on both sides of each tie.
std::vector<float> floats_around_ties() {
  std::vector<float> values;
  for (const std::uint32_t low : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu, 0x7fffu})
    for (std::uint32_t high = 0; high < 1u << 17; ++high)
      values.push_back(std::bit_cast<float>(high << 15 | low));
  for (std::uint32_t high = 0; high < 1u << 19; ++high)  // the ties of Half, too
    values.push_back(std::bit_cast<float>(high << 13 | 0x1000u));
  return values;
}

TEST(Convert, ConvertsEveryHalf) {
  test::for_each_target([] { check_runs<float>(all_values<Half>()); });
}
TEST(Convert, ConvertsEveryBFloat16) {
  test::for_each_target([] { check_runs<float>(all_values<BFloat16>()); });
}
TEST(Convert, RoundsToHalfAsSingleElementsDo) {
  test::for_each_target([] { check_runs<Half>(floats_around_ties()); });
}
TEST(Convert, RoundsToBFloat16AsSingleElementsDo) {
  test::for_each_target([] { check_runs<BFloat16>(floats_around_ties()); });
}

}  // namespace
}  // namespace taper::cpu
