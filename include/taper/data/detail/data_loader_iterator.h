// Type-erased implementation of DataLoader.
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/data/data_loader_options.h"
#include "taper/data/statistics.h"

namespace TAPER_API taper {
namespace data {
namespace detail {

/// Type-erased batch; null at the end of an iterable dataset.
using AnyBatch = std::shared_ptr<void>;
using Indices = std::vector<std::int64_t>;
/// Functions that read the batches of an epoch, in stages. Each receives the result of the previous
/// one. Absent stages pass it on.
struct Stages {
  SharedFunction<AnyBatch(const Indices&)> fetch{};
  SharedFunction<AnyBatch(const Indices&, const AnyBatch& fetched)> decode{};
  SharedFunction<AnyBatch(const AnyBatch& examples)> collate{};
};
/// Returns the functions of an epoch. Called by each worker, or by the calling thread if there are
/// no workers.
using StartStages = SharedFunction<Stages()>;
/// Times of the stages, which their threads add to.
struct StageTimes;

class BatchThreads;
class DataLoaderIterator;

/// Validated options of a loader, in which `batch_sampler` is set.
class DataLoaderConfig {
 public:
  DataLoaderConfig(std::int64_t dataset_size, DataLoaderOptions options);
  /// Returns the configuration of an iterable dataset, whose requests do not contain indices.
  static DataLoaderConfig of_iterable(DataLoaderOptions options);

  /// Returns the number of batches of an epoch.
  std::int64_t size() const { return options_.batch_sampler->size(); }
  /// Returns the number of examples per batch; nullopt for single examples.
  std::optional<std::int64_t> batch_size() const {
    if (!options_.batch_size) return {};
    return *options_.batch_size;
  }
  /// Returns the number of batches of `examples` examples.
  std::int64_t batches_of(std::int64_t examples) const;
  const DataLoaderOptions& options() const { return options_; }
  DataLoaderStatistics statistics() const;
  void reset_statistics();
  /// Starts an epoch, with the workers of the previous epoch if they are persistent.
  std::shared_ptr<DataLoaderIterator> start_epoch(const StartStages& start);

 private:
  explicit DataLoaderConfig(DataLoaderOptions options);
  void check_batches() const;

  DataLoaderOptions options_;
  std::shared_ptr<StageTimes> times_;
  std::shared_ptr<DataLoaderIterator> persistent_;
};

/// Reads the batches of one epoch in order; prefetches them if there are workers. Draws the base
/// seed of the workers when it is created.
class DataLoaderIterator {
 public:
  DataLoaderIterator(const DataLoaderOptions& options, std::shared_ptr<StageTimes> times,
                     const StartStages& start);
  ~DataLoaderIterator();
  DataLoaderIterator(const DataLoaderIterator&) = delete;
  DataLoaderIterator& operator=(const DataLoaderIterator&) = delete;
  /// Discards the batches that were requested, and starts the next epoch.
  void restart();
  /// Returns the next batch; null at the end. Throws the errors of the dataset; the next call
  /// continues with the batch after the one that failed.
  AnyBatch next();
  /// Returns the base seed of the epoch.
  std::uint64_t base_seed() const noexcept { return base_seed_; }

 private:
  void begin_epoch();
  /// Takes the indices of the next batch and passes them to the threads.
  void submit();
  AnyBatch read_next();
  AnyBatch next_of_threads();

  DataLoaderOptions options_;
  std::shared_ptr<StageTimes> times_;
  StartStages start_stages_;
  std::uint64_t base_seed_;
  NextBatch next_indices_;
  Stages stages_;       // without threads
  bool ended_ = false;  // without threads: the iterable dataset is at its end
  std::shared_ptr<BatchThreads> threads_;
};

/// Position in an epoch, at a batch that is read when it is needed.
class BatchIterator {
 public:
  explicit BatchIterator(std::shared_ptr<DataLoaderIterator> epoch);
  /// Returns the batch; throws the error of reading it. Null at the end.
  void* current() const;
  bool at_end() const;
  void advance();
  std::uint64_t base_seed() const noexcept { return epoch_->base_seed(); }

 private:
  void read() const;

  std::shared_ptr<DataLoaderIterator> epoch_;
  mutable AnyBatch batch_;
  mutable std::exception_ptr error_;
  mutable bool read_ = false;
};

/// Throws TypeError: single examples of this type require a collate_fn.
[[noreturn]] void reject_single_examples();
/// Rethrows the current exception with the index of the example prepended to its message.
[[noreturn]] void rethrow_with_index(std::int64_t index);
/// Rethrows the current exception with the first indices of a batch prepended to its message; as it
/// is if there are none.
[[noreturn]] void rethrow_with_indices(const Indices& indices);

}  // namespace detail
}  // namespace data
}  // namespace taper
