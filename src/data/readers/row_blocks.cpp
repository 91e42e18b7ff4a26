#include "data/readers/row_blocks.h"

#include <algorithm>
#include <utility>

namespace taper::data::detail {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

}  // namespace

RowBlocks::RowBlocks(std::int64_t rows, std::size_t row_bytes, std::shared_ptr<BlockBudget> budget)
    : rows_(rows),
      row_bytes_(row_bytes),
      rows_per_block_(static_cast<std::int64_t>(kBlockBytes / row_bytes)),
      blocks_(static_cast<std::size_t>((rows + rows_per_block_ - 1) / rows_per_block_)),
      budget_(std::move(budget)) {}

RowBlocks::~RowBlocks() {
  for (const std::atomic<std::byte*>& block : blocks_) delete[] block.load();
}

std::unique_ptr<std::byte[]> RowBlocks::reserve(std::int64_t rows) {
  if ((*budget_ -= bytes_of(rows)) >= 0)
    return std::unique_ptr<std::byte[]>(new std::byte[static_cast<std::size_t>(bytes_of(rows))]);
  release(rows);
  return nullptr;
}

const std::byte* RowBlocks::publish(std::size_t i, std::unique_ptr<std::byte[]> bytes,
                                    std::int64_t rows) {
  std::byte* stored = nullptr;
  if (blocks_[i].compare_exchange_strong(stored, bytes.get(), std::memory_order_acq_rel))
    return bytes.release();
  release(rows);
  return stored;
}

}  // namespace taper::data::detail
