// StageTimes: times of the stages of a data loader.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "taper/data/detail/data_loader_iterator.h"

namespace taper::data::detail {

enum class Stage { fetch, decode, collate };
inline constexpr std::size_t kStages = 3;
/// Returns "fetch", "decode" or "collate".
const char* name_of(Stage stage);
/// Returns true if the stage is not absent.
bool has_stage(const Stages& stages, Stage stage);

/// Executes the stages and adds up their times. Used by several threads.
struct StageTimes {
  using Clock = std::chrono::steady_clock;

  explicit StageTimes(const DataLoaderOptions& options);

  /// Executes a stage of the batch of `indices`. Absent stages return `input`.
  AnyBatch run(Stage stage, const Stages& stages, const Indices& indices, const AnyBatch& input);
  /// Executes all stages. Null at the end of an iterable dataset.
  AnyBatch run_all(const Stages& stages, const Indices& indices);
  /// The loop requests a batch, and receives it.
  void begin_wait();
  void end_wait(bool has_batch);

  DataLoaderStatistics statistics() const;
  void reset();

 private:
  struct Sum {
    std::atomic<std::int64_t> nanoseconds{0}, batches{0};
  };
  const std::array<int, kStages> threads_;
  std::array<Sum, kStages> sums_{};
  mutable std::mutex mutex_;  // of what follows: loops of several threads may use the loader
  std::int64_t batches_ = 0;
  Clock::duration wait_{}, loop_{};
  Clock::time_point changed_{};
  bool is_in_loop_ = false;
};

}  // namespace taper::data::detail
