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

/// Returns the batch of the examples at `indices`, combined by `collate_fn`.
template <Dataset D, class CollateFn>
auto read_batch(const D& dataset, const CollateFn& collate_fn, const Indices& indices) {
  if constexpr (std::same_as<CollateFn, DefaultCollate> &&
                requires { dataset.get_batch(std::span<const std::int64_t>(indices)); }) {
    return dataset.get_batch(std::span<const std::int64_t>(indices));
  } else {
    std::vector<Example<D>> examples;
    examples.reserve(indices.size());
    for (const std::int64_t i : indices) {
      try {
        examples.push_back(dataset.get(i));
      } catch (...) { rethrow_with_index(i); }
    }
    return collate_fn(std::move(examples));
  }
}

}  // namespace detail

/// Iterates over the batches of a dataset. PyTorch: torch.utils.data.DataLoader.
///
///     data::DataLoader loader(train, {.batch_size = 64, .shuffle = true, .num_workers = 2});
///     for (auto& [images, labels] : loader) ...
///
/// Each range-based for loop is one epoch. Examples are combined by `collate_fn`, which receives a
/// `std::vector` of examples and returns the batch. By default, they are combined by Collate, or by
/// `get_batch(span of indices)` of the dataset if it is defined. With workers, threads prefetch
/// batches, whose order is unchanged, and call `collate_fn` concurrently. Exceptions of the dataset
/// propagate to the loop, with the index of the example. For a given seed, the order is that of
/// PyTorch.
///
/// Throws ValueError for mutually exclusive or invalid options, with PyTorch's messages.
template <Dataset D, class CollateFn = DefaultCollate> class DataLoader {
 public:
  explicit DataLoader(D dataset, DataLoaderOptions options = {}, CollateFn collate_fn = {})
      : DataLoader(std::make_shared<const D>(std::move(dataset)), std::move(options),
                   std::move(collate_fn)) {}
  /// Creates a loader that shares the dataset.
  explicit DataLoader(std::shared_ptr<const D> dataset, DataLoaderOptions options = {},
                      CollateFn collate_fn = {})
      : dataset_(std::move(dataset)),
        collate_fn_(std::move(collate_fn)),
        config_(dataset_->size(), std::move(options)) {}

  /// Returns the number of batches of an epoch. PyTorch: len(loader).
  std::int64_t size() const { return config_.size(); }
  /// Returns the dataset.
  const D& dataset() const { return *dataset_; }

  using Batch = decltype(detail::read_batch(std::declval<const D&>(),
                                            std::declval<const CollateFn&>(), detail::Indices()));

  /// Sentinel of the iteration.
  struct End {};
  /// Input iterator over the batches of one epoch. A batch is read when the iterator is compared or
  /// dereferenced. If that fails, the error is thrown by the dereference, and `++` continues with
  /// the batch after it. The destructor stops the worker threads.
  class Iterator {
   public:
    Iterator(const detail::DataLoaderConfig& config, const std::shared_ptr<const D>& dataset,
             const CollateFn& collate_fn)
        : iterator_(
              config, [dataset, collate_fn](const detail::Indices& indices) -> detail::AnyBatch {
                return std::make_shared<Batch>(detail::read_batch(*dataset, collate_fn, indices));
              }) {}
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

  /// Starts an epoch: draws its seed, and with workers starts them.
  Iterator begin() { return Iterator(config_, dataset_, collate_fn_); }
  End end() { return {}; }

 private:
  std::shared_ptr<const D> dataset_;
  CollateFn collate_fn_;
  detail::DataLoaderConfig config_;
};

}  // namespace data
}  // namespace taper
