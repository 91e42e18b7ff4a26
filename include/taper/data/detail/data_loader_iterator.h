// Type-erased implementation of DataLoader.
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/data/data_loader_options.h"

namespace TAPER_API taper {
namespace data {
namespace detail {

/// Type-erased batch.
using AnyBatch = std::shared_ptr<void>;
using Indices = std::vector<std::int64_t>;
using Fetch = SharedFunction<AnyBatch(const Indices&)>;

/// Validated options of a loader, in which `batch_sampler` is set.
class DataLoaderConfig {
 public:
  DataLoaderConfig(std::int64_t dataset_size, DataLoaderOptions options);
  /// Returns the number of batches of an epoch.
  std::int64_t size() const { return options_.batch_sampler->size(); }
  const DataLoaderOptions& options() const { return options_; }

 private:
  DataLoaderOptions options_;
};

/// Reads the batches of one epoch in order; prefetches them if there are workers. Draws the base
/// seed of the workers when it is created.
class DataLoaderIterator {
 public:
  DataLoaderIterator(const DataLoaderConfig& config, Fetch fetch);
  ~DataLoaderIterator();
  DataLoaderIterator(const DataLoaderIterator&) = delete;
  DataLoaderIterator& operator=(const DataLoaderIterator&) = delete;
  /// Returns the next batch; null at the end. Throws the errors of the dataset; the next call
  /// continues with the batch after the one that failed.
  AnyBatch next();
  /// Returns the base seed of the epoch.
  std::uint64_t base_seed() const noexcept { return base_seed_; }

 private:
  struct Workers;
  /// Takes the indices of the next batch and passes them to a worker.
  void submit();

  std::shared_ptr<BatchSampler> batch_sampler_;
  NextBatch next_indices_;
  Fetch fetch_;
  std::uint64_t base_seed_;
  std::size_t submitted_ = 0, returned_ = 0;  // batches
  std::shared_ptr<Workers> workers_;
};

/// Position in an epoch, at a batch that is read when it is needed.
class BatchIterator {
 public:
  BatchIterator(const DataLoaderConfig& config, Fetch fetch);
  /// Returns the batch; throws the error of reading it. Null at the end.
  void* current() const;
  bool at_end() const;
  void advance();
  std::uint64_t base_seed() const noexcept { return iterator_->base_seed(); }

 private:
  void read() const;

  std::shared_ptr<DataLoaderIterator> iterator_;
  mutable AnyBatch batch_;
  mutable std::exception_ptr error_;
  mutable bool read_ = false;
};

/// Rethrows the current exception with the index of the example prepended to its message.
[[noreturn]] void rethrow_with_index(std::int64_t index);

}  // namespace detail
}  // namespace data
}  // namespace taper
