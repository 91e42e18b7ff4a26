// DataLoaderOptions and WorkerInfo.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"
#include "taper/core/shared_function.h"
#include "taper/data/sampler.h"

namespace TAPER_API taper {
namespace data {

/// Information about the current worker thread. PyTorch: torch.utils.data.get_worker_info.
struct WorkerInfo {
  int id = 0, num_workers = 0;  ///< index of the worker, from 0; number of workers of the loader
  std::uint64_t seed = 0;       ///< base seed of the epoch + id
  Generator generator{};        ///< seeded with `seed`; default generator of the worker
};
/// Returns information about the current worker thread; null on other threads.
const WorkerInfo* get_worker_info();

/// Numbers of threads of the stages that read batches: `fetch` reads examples, such as bytes from a
/// disk, `decode` converts them, and `collate` combines them.
struct StageThreads {
  int fetch = 1, decode = 1, collate = 1;
};

/// Options of DataLoader. PyTorch: the arguments of torch.utils.data.DataLoader.
struct DataLoaderOptions {
  /// Number of examples per batch; std::nullopt: single examples instead of batches.
  std::optional<IntArg> batch_size = 1;
  bool shuffle = false;                ///< new random order in each epoch
  std::shared_ptr<Sampler> sampler{};  ///< order of the examples; excludes shuffle
  /// Order of the batches; excludes batch_size, shuffle, sampler and drop_last.
  std::shared_ptr<BatchSampler> batch_sampler{};
  /// Number of prefetching threads; 0: batches are read by the calling thread.
  int num_workers = 0;
  bool drop_last = false;  ///< omits an incomplete last batch
  /// Prefetched batches per worker, or per thread of a stage; default: 2.
  std::optional<int> prefetch_factor{};
  /// Generator of the seeds, and of the order if `shuffle` is set. Default: the default generator.
  std::optional<Generator> generator{};
  /// Keeps the workers after an epoch: they continue with their random streams, and no new seeds
  /// are drawn.
  bool persistent_workers = false;
  /// Seconds to wait for a batch of a worker; 0: no limit.
  double timeout = 0;
  /// Called by each worker when it starts.
  SharedFunction<void(const WorkerInfo&)> worker_init_fn{};
  /// False: batches of workers are returned when they are ready, not in the order of the sampler,
  /// and a slow worker receives fewer of them.
  bool in_order = true;
  /// Reads batches in stages with separate threads, instead of workers that execute all stages of a
  /// batch. Excludes num_workers and worker_init_fn. PyTorch: none.
  std::optional<StageThreads> stage_threads{};
};

}  // namespace data
}  // namespace taper
