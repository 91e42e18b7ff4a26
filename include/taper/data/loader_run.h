// One pass of a loader over its dataset, whatever the type of its batches.
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

/// How a loader reads. PyTorch: the arguments of torch.utils.data.DataLoader.
struct DataLoaderOptions {
  IntArg batch_size = 1;
  bool shuffle = false;                           ///< a new random order at every pass
  std::shared_ptr<Sampler> sampler{};             ///< the order; excludes shuffle
  std::shared_ptr<BatchSampler> batch_sampler{};  ///< whole batches; excludes all of the above
  int num_workers = 0;                            ///< threads that read ahead; 0: the caller reads
  bool drop_last = false;                         ///< leave out a last batch that is not full
  std::optional<int> prefetch_factor{};           ///< batches read ahead per thread (2)
  /// Draws the seeds, and the order if shuffled. Default: the default generator.
  std::optional<Generator> generator{};
};

/// What a worker thread may ask about itself: torch.utils.data.get_worker_info.
struct WorkerInfo {
  int id = 0, num_workers = 0;
  std::uint64_t seed = 0;  ///< the pass's base seed + id
  Generator generator{};   ///< seeded with it, for this worker alone
};
/// Null in threads that are no workers.
const WorkerInfo* get_worker_info();

namespace detail {

/// A batch of some type.
using AnyBatch = std::shared_ptr<void>;
using Indices = std::vector<std::int64_t>;
using Fetch = Function<AnyBatch(const Indices&)>;

/// The options, checked, with the sampler filled in.
class LoaderPlan {
 public:
  LoaderPlan(std::int64_t dataset_size, DataLoaderOptions options);
  /// The number of batches of a pass.
  std::int64_t size() const;
  /// The batches of the next pass; draws its seeds.
  std::vector<Indices> next_pass(std::uint64_t& base_seed);
  const DataLoaderOptions& options() const { return options_; }

 private:
  DataLoaderOptions options_;
};

/// Reads the batches of one pass in order, ahead of the caller if there are workers.
class LoaderRun {
 public:
  LoaderRun(LoaderPlan& plan, Fetch fetch);
  ~LoaderRun();
  LoaderRun(const LoaderRun&) = delete;
  LoaderRun& operator=(const LoaderRun&) = delete;
  /// The next batch; null at the end. Throws what reading it threw; the pass is over then.
  AnyBatch next();

 private:
  struct Workers;
  std::vector<Indices> batches_;
  Fetch fetch_;
  std::size_t at_ = 0;
  std::unique_ptr<Workers> workers_;
};

/// Throws the error in flight again, with the number of the example in front.
[[noreturn]] void rethrow_with_index(std::int64_t index);

}  // namespace detail
}  // namespace data
}  // namespace taper
