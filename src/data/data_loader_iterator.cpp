#include "taper/data/detail/data_loader_iterator.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::data {
namespace {
thread_local const WorkerInfo* worker_info = nullptr;
}

const WorkerInfo* get_worker_info() { return worker_info; }

namespace detail {

DataLoaderConfig::DataLoaderConfig(std::int64_t dataset_size, DataLoaderOptions options)
    : options_(std::move(options)) {
  DataLoaderOptions& o = options_;
  if (o.num_workers < 0)
    fail<ValueError>(
        "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.");
  if (o.num_workers == 0 && o.prefetch_factor)
    fail<ValueError>(
        "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
        "enable multiprocessing, otherwise set prefetch_factor to None.");
  if (o.prefetch_factor.value_or(1) < 1)
    fail<ValueError>("DataLoader: prefetch_factor must be positive: got {}", *o.prefetch_factor);
  if (o.sampler && o.shuffle) fail<ValueError>("sampler option is mutually exclusive with shuffle");
  if (o.batch_sampler) {
    if (o.batch_size != 1 || o.shuffle || o.sampler || o.drop_last)
      fail<ValueError>(
          "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
          "drop_last");
    return;
  }
  if (o.batch_size <= 0)
    fail<ValueError>("batch_size should be a positive integer value, but got batch_size={}",
                     o.batch_size);
  if (o.sampler) return;
  if (o.shuffle)
    o.sampler = std::make_shared<RandomSampler>(dataset_size,
                                                RandomSamplerOptions{.generator = o.generator});
  else
    o.sampler = std::make_shared<SequentialSampler>(dataset_size);
}

std::int64_t DataLoaderConfig::size() const {
  if (options_.batch_sampler) return options_.batch_sampler->size();
  const std::int64_t n = options_.sampler->size(), b = options_.batch_size;
  return options_.drop_last ? n / b : (n + b - 1) / b;
}

std::vector<Indices> DataLoaderConfig::next_epoch(std::uint64_t& base_seed) {
  const Generator& generator = options_.generator ? *options_.generator : default_generator();
  base_seed = static_cast<std::uint64_t>(
      empty({}, {.dtype = DType::i64}).random_(generator).item<std::int64_t>());
  if (options_.batch_sampler) return options_.batch_sampler->batches();
  const Indices order = options_.sampler->indices();
  const auto each = static_cast<std::size_t>(options_.batch_size);
  std::vector<Indices> batches;
  for (std::size_t at = 0; at < order.size(); at += each) {
    const std::size_t end = std::min(order.size(), at + each);
    if (options_.drop_last && end - at < each) break;
    batches.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(at),
                         order.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return batches;
}

/// Threads that fetch batches in order and store them, or their exceptions, for the caller.
struct DataLoaderIterator::Workers {
  struct Result {
    AnyBatch batch;
    std::exception_ptr error;
  };

  Workers(const std::vector<Indices>& batches, const Fetch& fetch, const DataLoaderOptions& o,
          std::uint64_t base_seed)
      : batches_(batches),
        fetch_(fetch),
        max_prefetched_(static_cast<std::size_t>(o.num_workers * o.prefetch_factor.value_or(2))) {
    try {
      for (int id = 0; id < o.num_workers; ++id)
        threads_.emplace_back([this, id, count = o.num_workers, base_seed] {
          const std::uint64_t seed = base_seed + static_cast<std::uint64_t>(id);
          const WorkerInfo info{id, count, seed, Generator(seed)};
          worker_info = &info;
          run_worker();
        });
    } catch (...) {  // a thread could not be started
      stop();
      throw;
    }
  }
  ~Workers() { stop(); }

  AnyBatch wait(std::size_t at) {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock, [&] { return results_.contains(at); });
    Result result = std::move(results_.extract(at).mapped());
    consumed_ = at + 1;
    lock.unlock();
    state_changed_.notify_all();
    if (result.error) std::rethrow_exception(result.error);
    return std::move(result.batch);
  }

 private:
  void run_worker() {
    std::unique_lock lock(mutex_);
    while (true) {
      state_changed_.wait(lock, [&] {
        return stopping_ || next_ >= batches_.size() || next_ < consumed_ + max_prefetched_;
      });
      if (stopping_ || next_ >= batches_.size()) return;
      const std::size_t at = next_++;
      lock.unlock();
      Result result;
      try {
        result.batch = fetch_(batches_[at]);
      } catch (...) { result.error = std::current_exception(); }
      lock.lock();
      results_.emplace(at, std::move(result));
      state_changed_.notify_all();
    }
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    state_changed_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  const std::vector<Indices>& batches_;
  const Fetch& fetch_;
  const std::size_t max_prefetched_;
  std::mutex mutex_;
  std::condition_variable state_changed_;
  std::size_t next_ = 0, consumed_ = 0;
  bool stopping_ = false;
  std::map<std::size_t, Result> results_;
  std::vector<std::thread> threads_;
};

DataLoaderIterator::DataLoaderIterator(DataLoaderConfig& config, Fetch fetch)
    : fetch_(std::move(fetch)) {
  std::uint64_t base_seed = 0;
  batches_ = config.next_epoch(base_seed);
  if (config.options().num_workers > 0)
    workers_ = std::make_shared<Workers>(batches_, fetch_, config.options(), base_seed);
}
DataLoaderIterator::~DataLoaderIterator() = default;

AnyBatch DataLoaderIterator::next() {
  if (next_index_ == batches_.size()) return nullptr;
  const std::size_t at = next_index_++;
  try {
    return workers_ ? workers_->wait(at) : fetch_(batches_[at]);
  } catch (...) {
    next_index_ = batches_.size();
    workers_.reset();
    throw;
  }
}

void rethrow_with_index(std::int64_t index) {
  const std::string prefix = "DataLoader: example " + std::to_string(index) + ": ";
  try {
    throw;
  } catch (const Error& error) {
    throw_error(error.kind(), prefix + error.what());
  } catch (const std::exception& error) {
    std::throw_with_nested(RuntimeError(prefix + error.what()));
  } catch (...) {
    std::throw_with_nested(RuntimeError(prefix + "an exception not derived from std::exception"));
  }
}

}  // namespace detail
}  // namespace taper::data
