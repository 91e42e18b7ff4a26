#include <gtest/gtest.h>

#include <limits>

#include "core/check.h"
#include "core/open_hash.h"
#include "core/strided.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(StorageExtent, ReturnsLastPositionPlusOne) {
  EXPECT_EQ(storage_extent({2, 3}, {3, 1}), 6);
  EXPECT_EQ(storage_extent({2, 3}, {3, 1}, 4), 10);
  EXPECT_EQ(storage_extent({2, 3}, {0, 2}), 5);
  EXPECT_EQ(storage_extent({}, {}), 1);
  EXPECT_EQ(storage_extent({0, 3}, {3, 1}, 4), 4);
  EXPECT_EQ(extent_of({2, 3}, {1, 2}), 6);
}

TEST(StorageExtent, RejectsInvalidLayoutsAndOverflow) {
  EXPECT_FALSE(storage_extent({2}, {}));
  EXPECT_FALSE(storage_extent({-1}, {1}));
  EXPECT_FALSE(storage_extent({2}, {-1}));
  EXPECT_FALSE(storage_extent({2}, {1}, -1));
  EXPECT_FALSE(storage_extent({3}, {kMax}));
  EXPECT_FALSE(storage_extent({2, 2}, {kMax, kMax}));
  EXPECT_FALSE(storage_extent({2}, {kMax}));  // exceeds int64 by one
  EXPECT_EQ(storage_extent({2}, {kMax - 1}), kMax);
  EXPECT_FALSE(storage_extent({1ll << 40, 1ll << 40}, {0, 0}));
}

TEST(IsContiguous, IgnoresStridesOfSizeOneAndEmptyTensors) {
  EXPECT_TRUE(is_contiguous({2, 3}, {3, 1}));
  EXPECT_TRUE(is_contiguous({2, 1, 3}, {3, 77, 1}));
  EXPECT_FALSE(is_contiguous({2, 3}, {1, 2}));
  EXPECT_TRUE(is_contiguous({0, 3}, {1, 2}));
  std::int64_t numel = -1;
  EXPECT_FALSE(is_contiguous({4, 3}, {1, 4}, numel));
  EXPECT_EQ(numel, 12);
}

TEST(WrapIndex, CountsNegativeIndicesFromEnd) {
  EXPECT_EQ(wrap_index(0, 3), 0);
  EXPECT_EQ(wrap_index(-3, 3), 0);
  EXPECT_EQ(wrap_index(2, 3), 2);
  EXPECT_FALSE(wrap_index(3, 3));
  EXPECT_FALSE(wrap_index(-4, 3));
  EXPECT_FALSE(wrap_index(0, 0));
  EXPECT_FALSE(wrap_index(std::numeric_limits<std::int64_t>::min(), kMax));
  EXPECT_EQ(clip_bound(std::numeric_limits<std::int64_t>::min(), 5), 0);
  EXPECT_EQ(clip_bound(-2, 5), 3);
  EXPECT_EQ(clip_bound(kMax, 5), 5);
}

TEST(Slice, AcceptsLargestStep) {
  const Tensor t = arange(6).view({3, 2});
  EXPECT_EQ(t.slice(0, {}, {}, kMax).shape(), Shape({1, 2}));
  EXPECT_EQ(t.slice(0, 3, {}, kMax).shape(), Shape({0, 2}));
  EXPECT_TRUE(equal(t.slice(0, 1, {}, kMax), tensor({{2, 3}})));
}

// The probe sequences wrap around the end of the table. Removing an entry must not break them.
TEST(OpenHash, FindsRemainingEntriesAfterRemoval) {
  constexpr std::size_t kSlots = 8;
  for (std::uint32_t removed = 0; removed < 4; ++removed) {
    const std::uint32_t hashes[] = {6, 7, 6, 7};
    int slots[kSlots] = {};  // index of the entry + 1, or 0 if free
    const auto is_free = [&](std::size_t at) { return slots[at] == 0; };
    const auto find = [&](int entry) {
      return open_hash::probe(hashes[entry], kSlots, [&](std::size_t at) {
        return is_free(at) || slots[at] == entry + 1;
      });
    };
    for (int entry = 0; entry < 4; ++entry) slots[find(entry)] = entry + 1;
    const std::size_t hole = find(static_cast<int>(removed));
    slots[hole] = 0;
    open_hash::close_hole(
        hole, kSlots, is_free, [&](std::size_t at) { return hashes[slots[at] - 1]; },
        [&](std::size_t from, std::size_t to) {
          slots[to] = slots[from];
          slots[from] = 0;
        });
    for (int entry = 0; entry < 4; ++entry)
      EXPECT_EQ(is_free(find(entry)), entry == static_cast<int>(removed)) << removed << entry;
  }
}

}  // namespace
