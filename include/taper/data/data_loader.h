// DataLoader: iterates over the batches of a dataset.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/data/collate.h"
#include "taper/data/data_loader_options.h"
#include "taper/data/dataset.h"
#include "taper/data/detail/data_loader_iterator.h"

namespace TAPER_API taper {
namespace data {
namespace detail {

/// Returns `read(i)` of all indices.
template <class Read> auto read_examples(const Indices& indices, const Read& read) {
  std::vector<std::remove_cvref_t<decltype(read(std::size_t{}))>> examples;
  examples.reserve(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    try {
      examples.push_back(read(i));
    } catch (...) { rethrow_with_index(indices[i]); }
  }
  return examples;
}

/// Returns the stage that combines a vector of examples, or that returns the only example of a
/// loader without batches. Throws TypeError for the latter if batches have another type and there
/// is no collate_fn.
template <class Batch, class T, class CollateFn>
auto collate_stage(const CollateFn& collate_fn, bool is_single) {
  constexpr bool kIsDefault = std::same_as<CollateFn, DefaultCollate>;
  if constexpr (kIsDefault && !std::same_as<Batch, T>)
    if (is_single) reject_single_examples();
  return [collate_fn, is_single](const AnyBatch& examples) -> AnyBatch {
    auto& all = *static_cast<std::vector<T>*>(examples.get());
    if (is_single)
      if constexpr (kIsDefault && std::same_as<Batch, T>)
        return std::make_shared<Batch>(DefaultConvert()(std::move(all)));
    return std::make_shared<Batch>(collate_fn(std::move(all)));
  };
}

/// True if the loader calls `get_batch` of the dataset.
template <class D, class CollateFn>
concept ReadsBatches = std::same_as<CollateFn, DefaultCollate> &&
    requires(const D& dataset, std::span<const std::int64_t> indices) {
  dataset.get_batch(indices);
};

/// Returns the functions of an epoch that read its batches, or single examples if `batch_size` is
/// nullopt.
template <class Batch, class D, class CollateFn>
Stages make_stages(const std::shared_ptr<const D>& dataset, const CollateFn& collate_fn,
                   std::optional<std::int64_t> batch_size, bool drop_last) {
  if constexpr (Dataset<D>) {
    if constexpr (ReadsBatches<D, CollateFn>) {
      if (batch_size)
        return {.fetch = [dataset](const Indices& indices) -> AnyBatch {
          try {
            return std::make_shared<Batch>(
                dataset->get_batch(std::span<const std::int64_t>(indices)));
          } catch (...) { rethrow_with_indices(indices); }
        }};
    }
    Stages stages{.collate = collate_stage<Batch, Example<D>>(collate_fn, !batch_size)};
    if constexpr (StagedDataset<D>) {
      using Fetched = std::vector<std::remove_cvref_t<decltype(dataset->fetch(std::int64_t{}))>>;
      stages.fetch = [dataset](const Indices& indices) -> AnyBatch {
        return std::make_shared<Fetched>(
            read_examples(indices, [&](std::size_t i) { return dataset->fetch(indices[i]); }));
      };
      stages.decode = [dataset](const Indices& indices, const AnyBatch& fetched) -> AnyBatch {
        auto& all = *static_cast<Fetched*>(fetched.get());
        return std::make_shared<std::vector<Example<D>>>(read_examples(
            indices, [&](std::size_t i) { return dataset->decode(std::move(all[i])); }));
      };
    } else {
      stages.fetch = [dataset](const Indices& indices) -> AnyBatch {
        return std::make_shared<std::vector<Example<D>>>(
            read_examples(indices, [&](std::size_t i) { return dataset->get(indices[i]); }));
      };
    }
    return stages;
  } else {
    using T = IteratedExample<D>;
    return {.fetch = [next = dataset->iterate(), drop_last,
                      count = static_cast<std::size_t>(batch_size.value_or(1))](
                         const Indices&) mutable -> AnyBatch {
              auto examples = std::make_shared<std::vector<T>>();
              while (examples->size() < count) {
                auto example = next();
                if (!example) break;
                examples->push_back(*std::move(example));
              }
              if (examples->empty() || (drop_last && examples->size() < count)) return nullptr;
              return examples;
            },
            .collate = collate_stage<Batch, T>(collate_fn, !batch_size)};
  }
}

template <class D, class CollateFn> auto example_batch(const D& dataset, const CollateFn& collate) {
  if constexpr (Dataset<D> && ReadsBatches<D, CollateFn>)
    return dataset.get_batch(std::span<const std::int64_t>());
  else if constexpr (Dataset<D>)
    return collate(std::vector<Example<D>>());
  else
    return collate(std::vector<IteratedExample<D>>());
}

template <class D> DataLoaderConfig make_config(const D& dataset, DataLoaderOptions options) {
  if constexpr (Dataset<D>)
    return DataLoaderConfig(dataset.size(), std::move(options));
  else
    return DataLoaderConfig::of_iterable(std::move(options));
}

}  // namespace detail

/// Iterates over the batches of a dataset. PyTorch: torch.utils.data.DataLoader.
///
///     data::DataLoader loader(train, {.batch_size = 64, .shuffle = true, .num_workers = 2});
///     for (auto& [images, labels] : loader) ...
///
/// Each range-based for loop is one epoch. A `std::vector` of examples is a dataset, too: the
/// loader contains it as VectorDataset. Examples are combined by `collate_fn`, which receives a
/// `std::vector` of examples and returns the batch. By default, they are combined by Collate, or by
/// `get_batch(span of indices)` of the dataset if it is defined. With workers, threads prefetch
/// batches, whose order is unchanged, and call `collate_fn` concurrently; each of them iterates
/// over an iterable dataset. Exceptions of the dataset propagate to the loop, those of `get`,
/// `fetch` and `decode` with the index of the example, those of `get_batch` and `collate_fn` with
/// the indices of the examples of the batch.
///
/// Where the time goes is reported by `statistics`. If `stage_threads` is set, threads execute one
/// stage each instead of all stages of a batch: `.stage_threads = {{.fetch = 8, .decode = 2}}`
/// reads files of a slow disk in eight threads and decodes them in two. Each batch then has its
/// own default generator, seeded with the seed of the epoch plus the number of the batch.
///
/// If `batch_size` is std::nullopt, the loader returns single examples: `collate_fn` receives a
/// vector of one example, and is DefaultConvert by default. Examples whose batches have another
/// type, such as numbers and strings, require that it is given: `DataLoader(words, {.batch_size =
/// std::nullopt}, DefaultConvert())`.
///
/// For a given seed, the order is that of PyTorch, as are the numbers that a worker draws
/// from its default generator.
///
/// Throws ValueError for mutually exclusive or invalid options, with PyTorch's messages.
template <class D, class CollateFn = DefaultCollate>
requires(Dataset<D> || IterableDataset<D>) class DataLoader {
 public:
  explicit DataLoader(D dataset, DataLoaderOptions options = {}, CollateFn collate_fn = {})
      : DataLoader(std::make_shared<const D>(std::move(dataset)), std::move(options),
                   std::move(collate_fn)) {}
  /// Creates a loader that shares the dataset.
  explicit DataLoader(std::shared_ptr<const D> dataset, DataLoaderOptions options = {},
                      CollateFn collate_fn = {})
      : dataset_(std::move(dataset)),
        collate_fn_(std::move(collate_fn)),
        config_(detail::make_config(*dataset_, std::move(options))) {}

  /// Returns the number of batches of an epoch. PyTorch: len(loader).
  std::int64_t size() const {
    if constexpr (Dataset<D>)
      return config_.size();
    else
      return config_.batches_of(dataset_->size());
  }
  /// Returns the dataset.
  const D& dataset() const { return *dataset_; }
  /// Returns the time spent in each stage of reading and in the loop since the loader was created
  /// or reset_statistics was called. It shows which of them limits the speed of training.
  DataLoaderStatistics statistics() const { return config_.statistics(); }
  void reset_statistics() { config_.reset_statistics(); }
  /// Returns the options, in which `batch_sampler` is set.
  const DataLoaderOptions& options() const { return config_.options(); }

  using Batch =
      decltype(detail::example_batch(std::declval<const D&>(), std::declval<const CollateFn&>()));

  /// Sentinel of the iteration.
  struct End {};
  /// Input iterator over the batches of one epoch. A batch is read when the iterator is compared or
  /// dereferenced. If that fails, the error is thrown by the dereference, and `++` continues with
  /// the batch after it. The destructor stops the worker threads.
  class Iterator {
   public:
    explicit Iterator(std::shared_ptr<detail::DataLoaderIterator> epoch)
        : iterator_(std::move(epoch)) {}
    Batch& operator*() const { return *static_cast<Batch*>(iterator_.current()); }
    Batch* operator->() const { return &**this; }
    Iterator& operator++() {
      iterator_.advance();
      return *this;
    }
    /// Returns the seed of the epoch, from which the workers derive theirs.
    std::uint64_t base_seed() const noexcept { return iterator_.base_seed(); }
    friend bool operator==(const Iterator& i, End) { return i.iterator_.at_end(); }

   private:
    detail::BatchIterator iterator_;
  };

  /// Starts an epoch: draws its seed and starts the workers, if any, which later epochs
  /// reuse with `persistent_workers`.
  Iterator begin() {
    return Iterator(config_.start_epoch([dataset = dataset_, collate_fn = collate_fn_,
                                         batch_size = config_.batch_size(),
                                         drop_last = config_.options().drop_last] {
      return detail::make_stages<Batch>(dataset, collate_fn, batch_size, drop_last);
    }));
  }
  End end() { return {}; }

 private:
  std::shared_ptr<const D> dataset_;
  CollateFn collate_fn_;
  detail::DataLoaderConfig config_;
};
template <class T, class CollateFn = DefaultCollate>
DataLoader(std::vector<T>, DataLoaderOptions = {}, CollateFn = {})
    -> DataLoader<VectorDataset<T>, CollateFn>;

}  // namespace data
}  // namespace taper
