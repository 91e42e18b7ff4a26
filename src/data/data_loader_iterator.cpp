#include "taper/data/detail/data_loader_iterator.h"

#include <utility>

#include "core/check.h"
#include "core/observer.h"
#include "data/draw.h"
#include "data/stage_pipeline.h"
#include "data/stage_times.h"
#include "data/workers.h"

namespace taper::data::detail {
namespace {

/// Requests of an iterable dataset.
struct EmptyRequests final : BatchSampler {
  NextBatch iterate() override {
    return [] { return std::optional<Indices>(std::in_place); };
  }
};

}  // namespace

DataLoaderConfig::DataLoaderConfig(DataLoaderOptions options)
    : options_(std::move(options)), times_(std::make_shared<StageTimes>(options_)) {
  const DataLoaderOptions& o = options_;
  if (o.stage_threads) {
    const auto& [fetch, decode, collate] = *o.stage_threads;
    if (fetch < 1 || decode < 1 || collate < 1)
      fail<ValueError>(
          "DataLoader: stage_threads: expected positive numbers of threads, got {}, {} and {}",
          fetch, decode, collate);
    if (o.num_workers != 0 || o.worker_init_fn)
      fail<ValueError>(
          "DataLoader: stage_threads is mutually exclusive with num_workers and worker_init_fn");
  }
  const bool has_threads = o.num_workers != 0 || o.stage_threads;
  if (o.num_workers < 0)
    fail<ValueError>(
        "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.");
  if (!(o.timeout >= 0)) fail<ValueError>("timeout option should be non-negative");
  if (!has_threads && o.prefetch_factor)
    fail<ValueError>(
        "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
        "enable multiprocessing, otherwise set prefetch_factor to None.");
  if (o.prefetch_factor.value_or(1) < 1)
    fail<ValueError>("DataLoader: prefetch_factor must be positive: got {}", *o.prefetch_factor);
  if (!has_threads && o.persistent_workers)
    fail<ValueError>("persistent_workers option needs num_workers > 0");
  if (!has_threads && o.timeout > 0) fail<ValueError>("DataLoader: timeout needs num_workers > 0");
}

void DataLoaderConfig::check_batches() const {
  if (!options_.batch_size) {
    if (options_.drop_last)
      fail<ValueError>(
          "batch_size=None option disables auto-batching and is mutually exclusive with drop_last");
  } else if (*options_.batch_size <= 0) {
    fail<ValueError>("batch_size should be a positive integer value, but got batch_size={}",
                     *options_.batch_size);
  }
}

DataLoaderConfig::DataLoaderConfig(std::int64_t dataset_size, DataLoaderOptions options)
    : DataLoaderConfig(std::move(options)) {
  DataLoaderOptions& o = options_;
  if (o.sampler && o.shuffle) fail<ValueError>("sampler option is mutually exclusive with shuffle");
  if (o.batch_sampler) {
    if (batch_size() != 1 || o.shuffle || o.sampler || o.drop_last)
      fail<ValueError>(
          "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
          "drop_last");
    return;
  }
  check_batches();
  if (!o.sampler) {
    if (o.shuffle)
      o.sampler = std::make_shared<RandomSampler>(dataset_size,
                                                  RandomSamplerOptions{.generator = o.generator});
    else
      o.sampler = std::make_shared<SequentialSampler>(dataset_size);
  }
  o.batch_sampler =
      std::make_shared<BatchSampler>(o.sampler, batch_size().value_or(1), o.drop_last);
}

DataLoaderConfig DataLoaderConfig::of_iterable(DataLoaderOptions options) {
  DataLoaderConfig config(std::move(options));
  DataLoaderOptions& o = config.options_;
  const char* const given = o.shuffle         ? "shuffle"
                            : o.sampler       ? "sampler"
                            : o.batch_sampler ? "batch_sampler"
                                              : nullptr;
  if (given)
    fail<ValueError>("DataLoader with IterableDataset: expected unspecified {} option", given);
  if (o.stage_threads)
    fail<ValueError>("DataLoader with IterableDataset: expected unspecified stage_threads option");
  config.check_batches();
  o.batch_sampler = std::make_shared<EmptyRequests>();
  return config;
}

std::int64_t DataLoaderConfig::batches_of(std::int64_t examples) const {
  const std::int64_t b = batch_size().value_or(1);
  return options_.drop_last ? examples / b : (examples + b - 1) / b;
}

std::shared_ptr<DataLoaderIterator> DataLoaderConfig::start_epoch(const StartStages& start) {
  if (persistent_) {
    persistent_->restart();
    return persistent_;
  }
  auto epoch = std::make_shared<DataLoaderIterator>(options_, times_, start);
  if (options_.persistent_workers) persistent_ = epoch;
  return epoch;
}

DataLoaderStatistics DataLoaderConfig::statistics() const { return times_->statistics(); }
void DataLoaderConfig::reset_statistics() { times_->reset(); }

DataLoaderIterator::DataLoaderIterator(const DataLoaderOptions& options,
                                       std::shared_ptr<StageTimes> times, const StartStages& start)
    : options_(options),
      times_(std::move(times)),
      start_stages_(start),
      base_seed_(draw_seed(generator_or_default(options.generator))) {
  if (options_.stage_threads)
    threads_ = std::make_shared<StagePipeline>(options_, times_, start_stages_, base_seed_);
  else if (options_.num_workers > 0)
    threads_ = std::make_shared<Workers>(options_, times_, start_stages_, base_seed_);
  begin_epoch();
}
DataLoaderIterator::~DataLoaderIterator() = default;

void DataLoaderIterator::restart() {
  threads_->restart();
  begin_epoch();
}

void DataLoaderIterator::begin_epoch() {
  next_indices_ = options_.batch_sampler->iterate();
  if (!threads_) return;
  int threads = options_.num_workers;
  if (const auto& stages = options_.stage_threads)
    threads = stages->fetch + stages->decode + stages->collate;
  for (int i = 0; i < threads * options_.prefetch_factor.value_or(2); ++i) submit();
}

void DataLoaderIterator::submit() {
  if (auto indices = next_indices_()) threads_->submit(std::move(*indices));
}

AnyBatch DataLoaderIterator::next() {
  const ObservedScope observed([] { return ScopeInfo{.name = "DataLoader.next"}; });
  times_->begin_wait();
  AnyBatch batch;
  try {
    batch = threads_ ? next_of_threads() : read_next();
  } catch (...) {
    times_->end_wait(false);
    throw;
  }
  times_->end_wait(batch != nullptr);
  return batch;
}

AnyBatch DataLoaderIterator::read_next() {
  if (ended_) return nullptr;
  const std::optional<Indices> indices = next_indices_();
  if (!indices) return nullptr;
  if (!stages_.fetch) stages_ = start_stages_();
  AnyBatch batch = times_->run_all(stages_, *indices);
  ended_ = !batch;
  return batch;
}

AnyBatch DataLoaderIterator::next_of_threads() {
  while (threads_->has_pending()) {
    BatchThreads::Result result = threads_->wait();
    if (!result.batch && !result.error) {
      // A worker whose dataset is exhausted answers each pending request without a batch. Only the
      // first of these is replaced by a request to another worker.
      if (threads_->set_ended(result.worker)) submit();
      continue;
    }
    submit();
    if (result.error) std::rethrow_exception(result.error);
    return std::move(result.batch);
  }
  return nullptr;
}

BatchIterator::BatchIterator(std::shared_ptr<DataLoaderIterator> epoch)
    : epoch_(std::move(epoch)) {}

void BatchIterator::read() const {
  if (std::exchange(read_, true)) return;
  try {
    batch_ = epoch_->next();
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

void reject_single_examples() {
  fail<TypeError>(
      "DataLoader: batch_size is nullopt, but batches of these examples have another type: pass a "
      "collate_fn such as DefaultConvert");
}

void rethrow_with_index(std::int64_t index) { rethrow_with_indices({index}); }

void rethrow_with_indices(const Indices& indices) {
  if (indices.empty()) throw;
  constexpr std::size_t kListed = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(indices.size(), kListed); ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(indices[i]);
  if (indices.size() > kListed) list += ", ...";
  const std::string prefix =
      format_message("DataLoader: example{} {}: ", indices.size() == 1 ? "" : "s", list);
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

}  // namespace taper::data::detail
