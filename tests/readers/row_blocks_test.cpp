// RowBlocks: blocks of small rows that TensorFiles stores.
#include "data/readers/row_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace {

using namespace taper::data::detail;

constexpr std::size_t kRowBytes = 1000;  // 65 rows per block

/// Writes the number of each row to its first byte.
bool write_numbers(std::byte* to, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    to[static_cast<std::size_t>(i) * kRowBytes] = static_cast<std::byte>(first + i);
  return true;
}

TEST(RowBlocks, ReadsABlockOnce) {
  const auto budget = std::make_shared<BlockBudget>(1'000'000);
  RowBlocks blocks(100, kRowBytes, budget);
  int reads = 0;
  for (const std::int64_t row : {99, 65, 0, 64, 99}) {
    const std::byte* const found = blocks.find(row, [&](std::byte* to, auto first, auto count) {
      EXPECT_EQ(first, row < 65 ? 0 : 65);
      EXPECT_EQ(count, row < 65 ? 65 : 35);
      ++reads;
      return write_numbers(to, first, count);
    });
    ASSERT_TRUE(found);
    EXPECT_EQ(static_cast<std::int64_t>(*found), row);
  }
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(*budget, 1'000'000 - 100'000);
}

TEST(RowBlocks, ReturnsNullIfTheBudgetIsSpent) {
  const auto budget = std::make_shared<BlockBudget>(70'000);
  RowBlocks blocks(200, kRowBytes, budget);
  EXPECT_TRUE(blocks.find(70, write_numbers));
  EXPECT_FALSE(blocks.find(0, write_numbers));
  EXPECT_TRUE(blocks.find(129, write_numbers)) << "a stored row";
  EXPECT_EQ(*budget, 5000);
  EXPECT_TRUE(blocks.find(199, write_numbers)) << "of the last block, which is smaller";
  EXPECT_EQ(*budget, 0);
}

TEST(RowBlocks, StoresNothingIfReadingFails) {
  const auto budget = std::make_shared<BlockBudget>(70'000);
  RowBlocks blocks(200, kRowBytes, budget);
  EXPECT_FALSE(blocks.find(0, [](std::byte*, std::int64_t, std::int64_t) { return false; }));
  EXPECT_EQ(*budget, 70'000);
  EXPECT_TRUE(blocks.find(0, write_numbers));
}

TEST(RowBlocks, IsThreadSafe) {
  const auto budget = std::make_shared<BlockBudget>(1'000'000);
  RowBlocks blocks(200, kRowBytes, budget);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::int64_t row = 0; row < 200; ++row)
        EXPECT_EQ(static_cast<std::int64_t>(*blocks.find(row, write_numbers)), row);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*budget, 1'000'000 - 200'000);
}

}  // namespace
