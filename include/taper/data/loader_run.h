// Type-erased implementation of DataLoader.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/function.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"
#include "taper/data/sampler.h"

namespace TAPER_API taper {
namespace data {

/// Options of DataLoader. PyTorch: the arguments of torch.utils.data.DataLoader.
struct DataLoaderOptions {
  /// Number of examples per batch.
  IntArg batch_size = 1;
  bool shuffle = false;                ///< new random order in each epoch
  std::shared_ptr<Sampler> sampler{};  ///< order of the examples; excludes shuffle
  /// Order of the batches; excludes batch_size, shuffle, sampler and drop_last.
  std::shared_ptr<BatchSampler> batch_sampler{};
  /// Number of prefetching threads; 0: batches are read by the calling thread.
  int num_workers = 0;
  bool drop_last = false;                ///< omits an incomplete last batch
  std::optional<int> prefetch_factor{};  ///< prefetched batches per worker; default: 2
  /// Generator of the seeds, and of the order if `shuffle` is set. Default: the default generator.
  std::optional<Generator> generator{};
};

/// Information about the current worker thread. PyTorch: torch.utils.data.get_worker_info.
struct WorkerInfo {
  int id = 0, num_workers = 0;
  std::uint64_t seed = 0;  ///< base seed of the epoch + id
  Generator generator{};   ///< seeded with `seed`; used by this worker only
};
/// Returns information about the current worker thread; null on other threads.
const WorkerInfo* get_worker_info();

namespace detail {

/// Type-erased batch.
using AnyBatch = std::shared_ptr<void>;
using Indices = std::vector<std::int64_t>;
using Fetch = Function<AnyBatch(const Indices&)>;

/// Validated options, with the sampler filled in.
class LoaderPlan {
 public:
  LoaderPlan(std::int64_t dataset_size, DataLoaderOptions options);
  /// Returns the number of batches of an epoch.
  std::int64_t size() const;
  /// Returns the indices of the batches of the next epoch and draws its seeds.
  std::vector<Indices> next_pass(std::uint64_t& base_seed);
  const DataLoaderOptions& options() const { return options_; }

 private:
  DataLoaderOptions options_;
};

/// Reads the batches of one epoch in order; prefetches them if there are workers.
class LoaderRun {
 public:
  LoaderRun(LoaderPlan& plan, Fetch fetch);
  ~LoaderRun();
  LoaderRun(const LoaderRun&) = delete;
  LoaderRun& operator=(const LoaderRun&) = delete;
  /// Returns the next batch; null at the end. Throws the errors of the dataset, which end the
  /// epoch.
  AnyBatch next();

 private:
  struct Workers;
  std::vector<Indices> batches_;
  Fetch fetch_;
  std::size_t at_ = 0;
  std::unique_ptr<Workers> workers_;
};

/// Rethrows the current exception with the index of the example prepended to its message.
[[noreturn]] void rethrow_with_index(std::int64_t index);

}  // namespace detail
}  // namespace data
}  // namespace taper
