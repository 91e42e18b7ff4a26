// Division of the steps of a recurrent layer among threads.
#pragma once
#include <algorithm>

#include "cpu/threads.h"
#include "ops/rnn/rnn_kernel.h"

namespace taper::rnn {

/// Division by rows: a thread computes all steps of its rows, independently of other threads. It
/// reads all recurrent weights, which must fit in its second-level cache. Division by blocks of
/// hidden units: a thread reads a part of the weights, and the threads synchronize in every step.
struct Division {
  bool by_rows = false;
  int chunks = 1;
};

/// Divides steps of at most `max_rows` rows, or exactly `rows` rows each; 0: their numbers differ.
/// `row_work` is the number of multiply-adds of a row: that of the recurrent weights.
inline Division divide(std::int64_t max_rows, std::int64_t rows, std::int64_t steps,
                       std::int64_t row_work, std::int64_t blocks) {
  constexpr std::int64_t kMinWork = 1 << 17;         // multiply-adds of a thread between waits
  constexpr std::int64_t kMinRows = 8;               // rows of a thread, for whole register tiles
  constexpr std::int64_t kPrivateWeights = 1 << 17;  // weights in a second-level cache of 1 MiB
  row_work = std::max<std::int64_t>(1, row_work);
  if (row_work <= kPrivateWeights && rows >= 2 * kMinRows)
    return {true, cpu::chunk_count(rows, std::max(kMinRows, kMinWork / (row_work * steps)))};
  const std::int64_t block_work =
      std::max<std::int64_t>(1, row_work * max_rows / std::max<std::int64_t>(1, blocks));
  return {false, cpu::chunk_count(blocks, std::max<std::int64_t>(1, kMinWork / block_work))};
}

/// Returns the number of rows of all steps, or 0 if it varies.
inline std::int64_t common_rows(const std::vector<Step>& steps) {
  return steps.front().rows == steps.back().rows ? steps.front().rows : 0;
}

/// Minimum number of steps for which the recurrent weights are packed.
constexpr std::size_t kMinPackedSteps = 4;

}  // namespace taper::rnn
