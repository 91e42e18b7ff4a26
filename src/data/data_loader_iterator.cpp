#include "taper/data/detail/data_loader_iterator.h"

#include <condition_variable>
#include <deque>
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
namespace {

std::uint64_t draw_base_seed(const DataLoaderOptions& options) {
  const Generator& generator = options.generator ? *options.generator : default_generator();
  return static_cast<std::uint64_t>(
      empty({}, {.dtype = DType::i64}).random_(generator).item<std::int64_t>());
}

}  // namespace

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
  if (!o.sampler) {
    if (o.shuffle)
      o.sampler = std::make_shared<RandomSampler>(dataset_size,
                                                  RandomSamplerOptions{.generator = o.generator});
    else
      o.sampler = std::make_shared<SequentialSampler>(dataset_size);
  }
  o.batch_sampler = std::make_shared<BatchSampler>(o.sampler, o.batch_size, o.drop_last);
}

/// Threads that fetch batches and store them, or their exceptions, for the caller. Worker w fetches
/// batches w, w + W, ..., so that what it draws does not depend on timing.
struct DataLoaderIterator::Workers {
  struct Result {
    AnyBatch batch;
    std::exception_ptr error;
  };

  Workers(const Fetch& fetch, int count, std::uint64_t base_seed)
      : fetch_(fetch), queues_(static_cast<std::size_t>(count)) {
    try {
      for (int id = 0; id < count; ++id)
        threads_.emplace_back([this, id, count, base_seed] {
          const std::uint64_t seed = base_seed + static_cast<std::uint64_t>(id);
          const WorkerInfo info{id, count, seed, Generator(seed)};
          worker_info = &info;
          run_worker(queues_[static_cast<std::size_t>(id)]);
        });
    } catch (...) {  // a thread could not be started
      stop();
      throw;
    }
  }
  ~Workers() { stop(); }

  void submit(std::size_t batch, Indices indices) {
    {
      const std::lock_guard lock(mutex_);
      queues_[batch % queues_.size()].emplace_back(batch, std::move(indices));
    }
    state_changed_.notify_all();
  }

  Result wait(std::size_t batch) {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock, [&] { return results_.contains(batch); });
    return std::move(results_.extract(batch).mapped());
  }

 private:
  using Queue = std::deque<std::pair<std::size_t, Indices>>;

  void run_worker(Queue& queue) {
    std::unique_lock lock(mutex_);
    while (true) {
      state_changed_.wait(lock, [&] { return stopping_ || !queue.empty(); });
      if (stopping_) return;
      const auto [batch, indices] = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      Result result;
      try {
        result.batch = fetch_(indices);
      } catch (...) { result.error = std::current_exception(); }
      lock.lock();
      results_.emplace(batch, std::move(result));
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

  const Fetch& fetch_;
  std::mutex mutex_;
  std::condition_variable state_changed_;
  std::vector<Queue> queues_;  // of each worker
  bool stopping_ = false;
  std::map<std::size_t, Result> results_;
  std::vector<std::thread> threads_;
};

DataLoaderIterator::DataLoaderIterator(const DataLoaderConfig& config, Fetch fetch)
    : batch_sampler_(config.options().batch_sampler),
      fetch_(std::move(fetch)),
      base_seed_(draw_base_seed(config.options())) {
  const DataLoaderOptions& o = config.options();
  next_indices_ = batch_sampler_->iterate();
  if (o.num_workers == 0) return;
  workers_ = std::make_shared<Workers>(fetch_, o.num_workers, base_seed_);
  for (int i = 0; i < o.num_workers * o.prefetch_factor.value_or(2); ++i) submit();
}
DataLoaderIterator::~DataLoaderIterator() = default;

void DataLoaderIterator::submit() {
  if (auto indices = next_indices_()) workers_->submit(submitted_++, std::move(*indices));
}

AnyBatch DataLoaderIterator::next() {
  if (!workers_) {
    const std::optional<Indices> indices = next_indices_();
    return indices ? fetch_(*indices) : nullptr;
  }
  if (returned_ == submitted_) return nullptr;
  Workers::Result result = workers_->wait(returned_++);
  submit();
  if (result.error) std::rethrow_exception(result.error);
  return std::move(result.batch);
}

BatchIterator::BatchIterator(const DataLoaderConfig& config, Fetch fetch)
    : iterator_(std::make_shared<DataLoaderIterator>(config, std::move(fetch))) {}

void BatchIterator::read() const {
  if (std::exchange(read_, true)) return;
  try {
    batch_ = iterator_->next();
  } catch (...) { error_ = std::current_exception(); }
}

void* BatchIterator::current() const {
  read();
  if (error_) std::rethrow_exception(error_);
  return batch_.get();
}

bool BatchIterator::at_end() const {
  read();
  return !batch_ && !error_;
}

void BatchIterator::advance() {
  read();
  batch_.reset();
  error_ = nullptr;
  read_ = false;
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
