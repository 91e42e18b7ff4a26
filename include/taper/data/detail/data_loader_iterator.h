// Type-erased implementation of DataLoader.
#pragma once
#include <cstdint>
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

/// Validated options of a loader, in which a default sampler is replaced by a Sampler object.
class DataLoaderConfig {
 public:
  DataLoaderConfig(std::int64_t dataset_size, DataLoaderOptions options);
  /// Returns the number of batches of an epoch.
  std::int64_t size() const;
  /// Returns the indices of each batch of the next epoch, and draws its seeds: stores the base seed
  /// of the workers in `base_seed`.
  std::vector<Indices> next_epoch(std::uint64_t& base_seed);
  const DataLoaderOptions& options() const { return options_; }

 private:
  DataLoaderOptions options_;
};

/// Reads the batches of one epoch in order; prefetches them if there are workers.
class DataLoaderIterator {
 public:
  DataLoaderIterator(DataLoaderConfig& config, Fetch fetch);
  ~DataLoaderIterator();
  DataLoaderIterator(const DataLoaderIterator&) = delete;
  DataLoaderIterator& operator=(const DataLoaderIterator&) = delete;
  /// Returns the next batch; null at the end. Throws the errors of the dataset, which end the
  /// epoch.
  AnyBatch next();

 private:
  struct Workers;
  std::vector<Indices> batches_;
  Fetch fetch_;
  std::size_t next_index_ = 0;
  std::shared_ptr<Workers> workers_;
};

/// Rethrows the current exception with the index of the example prepended to its message.
[[noreturn]] void rethrow_with_index(std::int64_t index);

}  // namespace detail
}  // namespace data
}  // namespace taper
