// RowBlocks: blocks of small rows of a file in memory.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace taper::data::detail {

/// Number of bytes that the blocks of a dataset may still occupy.
using BlockBudget = std::atomic<std::int64_t>;

/// Stores blocks of rows that were read, because a system call per row would take longer than the
/// copy of a small row. Blocks are not removed: if the budget is spent, other rows are not stored.
/// Thread-safe.
class RowBlocks {
 public:
  /// Maximum size of rows that are worth storing.
  static constexpr std::size_t kMaxRowBytes = 4096;

  /// A contiguous tensor of `rows` rows of `row_bytes` bytes, at most kMaxRowBytes and not 0.
  RowBlocks(std::int64_t rows, std::size_t row_bytes, std::shared_ptr<BlockBudget> budget);
  ~RowBlocks();
  RowBlocks(const RowBlocks&) = delete;
  RowBlocks& operator=(const RowBlocks&) = delete;

  /// Returns a row, after reading its block if it is not in memory; null if the budget is spent or
  /// `read(to, first, count)`, which reads rows and returns whether all exist, returns false.
  template <class Read> const std::byte* find(std::int64_t row, Read&& read) {
    const auto i = static_cast<std::size_t>(row / rows_per_block_);
    const std::byte* block = blocks_[i].load(std::memory_order_acquire);
    if (!block) {
      const std::int64_t first = row / rows_per_block_ * rows_per_block_;
      const std::int64_t count = std::min(rows_per_block_, rows_ - first);
      std::unique_ptr<std::byte[]> bytes = reserve(count);
      if (!bytes) return nullptr;
      if (!read(bytes.get(), first, count)) return release(count), nullptr;
      block = publish(i, std::move(bytes), count);
    }
    return block + static_cast<std::size_t>(row % rows_per_block_) * row_bytes_;
  }

 private:
  std::int64_t bytes_of(std::int64_t rows) const {
    return rows * static_cast<std::int64_t>(row_bytes_);
  }
  std::unique_ptr<std::byte[]> reserve(std::int64_t rows);
  void release(std::int64_t rows) { *budget_ += bytes_of(rows); }
  /// Stores a block, unless another thread did. Returns the stored one.
  const std::byte* publish(std::size_t i, std::unique_ptr<std::byte[]> bytes, std::int64_t rows);

  const std::int64_t rows_;
  const std::size_t row_bytes_;
  const std::int64_t rows_per_block_;
  std::vector<std::atomic<std::byte*>> blocks_;
  std::shared_ptr<BlockBudget> budget_;
};

}  // namespace taper::data::detail
