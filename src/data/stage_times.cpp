#include "data/stage_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/observer.h"

namespace taper::data {
namespace {

double seconds_per_thread(const StageStatistics& stage) {
  return stage.seconds / std::max(1, stage.threads);
}

}  // namespace

std::string DataLoaderStatistics::slowest() const {
  if (batches == 0) return {};
  constexpr double kShareOfWaiting = 0.05;
  if (stages.empty() || wait_seconds < kShareOfWaiting * (wait_seconds + loop_seconds))
    return "loop";
  return std::max_element(stages.begin(), stages.end(),
                          [](const StageStatistics& a, const StageStatistics& b) {
                            return seconds_per_thread(a) < seconds_per_thread(b);
                          })
      ->name;
}

std::string DataLoaderStatistics::str() const {
  std::string text;
  for (const StageStatistics& s : stages)
    text += fmt::format("{:<8} {:>8.3f} s in {} thread{}, {:.3f} ms per batch\n", s.name, s.seconds,
                        s.threads, s.threads == 1 ? "" : "s",
                        s.batches ? 1e3 * s.seconds / static_cast<double>(s.batches) : 0.0);
  const double total = wait_seconds + loop_seconds;
  return text + fmt::format(
                    "{:<8} {:>8.3f} s, and {:.3f} s of waiting for {} batches ({:.0f}%); "
                    "slowest: {}\n",
                    "loop", loop_seconds, wait_seconds, batches,
                    total > 0 ? 100 * wait_seconds / total : 0.0,
                    slowest().empty() ? "unknown" : slowest());
}

namespace detail {
namespace {

std::array<int, kStages> threads_of(const DataLoaderOptions& options) {
  if (options.stage_threads) {
    const data::StageThreads& s = *options.stage_threads;
    return {s.fetch, s.decode, s.collate};
  }
  const int workers = std::max(1, options.num_workers);
  return {workers, workers, workers};
}

AnyBatch run_collate(const Stages& stages, const Indices& indices, const AnyBatch& examples) {
  try {
    return stages.collate(examples);
  } catch (...) { rethrow_with_indices(indices); }
}

}  // namespace

const char* name_of(Stage stage) {
  constexpr std::array kNames{"fetch", "decode", "collate"};
  return kNames[static_cast<std::size_t>(stage)];
}

bool has_stage(const Stages& stages, Stage stage) {
  switch (stage) {
    case Stage::fetch: return static_cast<bool>(stages.fetch);
    case Stage::decode: return static_cast<bool>(stages.decode);
    case Stage::collate: return static_cast<bool>(stages.collate);
  }
  return false;
}

StageTimes::StageTimes(const DataLoaderOptions& options) : threads_(threads_of(options)) {}

AnyBatch StageTimes::run(Stage stage, const Stages& stages, const Indices& indices,
                         const AnyBatch& input) {
  if (!has_stage(stages, stage)) return input;
  const auto at = static_cast<std::size_t>(stage);
  const ObservedScope observed(
      [&] { return ScopeInfo{.name = std::string("DataLoader.") + name_of(stage)}; });
  const Clock::time_point start = Clock::now();
  AnyBatch output = stage == Stage::fetch    ? stages.fetch(indices)
                    : stage == Stage::decode ? stages.decode(indices, input)
                                             : run_collate(stages, indices, input);
  sums_[at].nanoseconds += std::chrono::nanoseconds(Clock::now() - start).count();
  sums_[at].batches += 1;
  return output;
}

AnyBatch StageTimes::run_all(const Stages& stages, const Indices& indices) {
  AnyBatch batch = run(Stage::fetch, stages, indices, nullptr);
  if (batch) batch = run(Stage::decode, stages, indices, batch);
  if (batch) batch = run(Stage::collate, stages, indices, batch);
  return batch;
}

void StageTimes::begin_wait() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (is_in_loop_) loop_ += now - changed_;
  changed_ = now;
}

void StageTimes::end_wait(bool has_batch) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  wait_ += now - changed_;
  changed_ = now;
  is_in_loop_ = has_batch;  // what follows the last batch does not belong to the loop
  batches_ += has_batch;
}

DataLoaderStatistics StageTimes::statistics() const {
  const std::lock_guard lock(mutex_);
  DataLoaderStatistics result{.batches = batches_,
                              .wait_seconds = std::chrono::duration<double>(wait_).count(),
                              .loop_seconds = std::chrono::duration<double>(loop_).count()};
  for (std::size_t i = 0; i < kStages; ++i)
    if (const std::int64_t batches = sums_[i].batches; batches > 0)
      result.stages.push_back({name_of(static_cast<Stage>(i)), threads_[i], batches,
                               1e-9 * static_cast<double>(sums_[i].nanoseconds)});
  return result;
}

void StageTimes::reset() {
  const std::lock_guard lock(mutex_);
  for (Sum& sum : sums_) sum.nanoseconds = 0, sum.batches = 0;
  batches_ = 0;
  wait_ = loop_ = {};
  is_in_loop_ = false;
}

}  // namespace detail
}  // namespace taper::data
