// Dataset concept, TensorDataset, VectorDataset and Subset.
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data {

/// Collection of examples: `get(i)` returns example i, for 0 <= i < size(). An example is a tensor,
/// a number, or a tuple of these. `get` must be thread-safe if the loader has workers.
/// PyTorch: torch.utils.data.Dataset (map-style).
template <class D>
concept Dataset = requires(const D& d, std::int64_t i) {
  d.get(i);
  { d.size() } -> std::convertible_to<std::int64_t>;
};

/// Type of the examples of a dataset.
template <Dataset D> using Example =
    std::remove_cvref_t<decltype(std::declval<const D&>().get(std::int64_t{}))>;

/// Dataset whose examples are read in two steps: `fetch(i)` returns what is stored, such as the
/// bytes of a file, and `decode` converts it, so that `decode(fetch(i))` equals `get(i)`. Loaders
/// measure the steps separately, and may execute them in different threads.
template <class D>
concept StagedDataset = Dataset<D> && requires(const D& d, std::int64_t i) {
  { d.decode(d.fetch(i)) } -> std::convertible_to<Example<D>>;
};

/// Sequence of examples without indices, such as a stream: `iterate()` starts a pass and returns a
/// function whose calls return the next example as std::optional, which is empty at the end. It is
/// called by each worker of a loader, which can take its share by get_worker_info(). A dataset with
/// a known number of examples also has `size()`. PyTorch: torch.utils.data.IterableDataset.
///
///     struct Lines {
///       auto iterate() const {
///         return [file = std::make_shared<std::ifstream>("lines.txt")] {
///           std::string line;
///           return std::getline(*file, line) ? std::optional(line) : std::nullopt;
///         };
///       }
///     };
template <class D>
concept IterableDataset = requires(const D& d) {
  d.iterate()().has_value();
  *d.iterate()();
};

/// Type of the examples of an iterable dataset.
template <IterableDataset D> using IteratedExample =
    std::remove_cvref_t<decltype(*std::declval<const D&>().iterate()())>;

namespace detail {
/// Throws ValueError unless all tensors have at least one dimension and equal first dimensions.
void check_equal_sizes(std::span<const Tensor> tensors);
/// Returns `i`, or i + size if it is negative. Throws IndexError if the result is not in [0, size).
std::int64_t wrap_index(std::int64_t i, std::int64_t size);
/// Returns the slices of `t` along dimension 0 at `indices`.
Tensor select_rows(const Tensor& t, std::span<const std::int64_t> indices);
}  // namespace detail

/// Dataset of tensors with equal first dimensions; example i is the tuple of their slices i. Throws
/// ValueError if the first dimensions differ or a tensor is 0-dimensional.
/// PyTorch: torch.utils.data.TensorDataset.
///
///     data::TensorDataset train(images, labels);   // (N, 1, 28, 28) and (N)
///     auto [image, label] = train.get(0);          // (1, 28, 28) and ()
template <std::size_t N> class TensorDataset {
 public:
  template <std::convertible_to<Tensor>... T>
  requires(sizeof...(T) == N) explicit TensorDataset(const T&... tensors)
      : tensors_{Tensor(tensors)...} {
    detail::check_equal_sizes(tensors_);
  }

  /// Returns the number of examples.
  std::int64_t size() const { return tensors_[0].size(0); }
  /// Returns example i; a negative i counts from the end. Throws IndexError if i is out of range.
  auto get(std::int64_t i) const {
    i = detail::wrap_index(i, size());
    return map([i](const Tensor& t) { return t[i]; });
  }
  /// Returns the tuple of the slices of each tensor at `indices`, with one copy per tensor. Loaders
  /// call it instead of `get`.
  auto get_batch(std::span<const std::int64_t> indices) const {
    return map([&](const Tensor& t) { return detail::select_rows(t, indices); });
  }
  /// Returns the tensors.
  const std::array<Tensor, N>& tensors() const { return tensors_; }

 private:
  template <class F> auto map(F&& f) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::make_tuple(f(tensors_[I])...);
    }
    (std::make_index_sequence<N>{});
  }
  std::array<Tensor, N> tensors_;
};
template <class... T> TensorDataset(const T&...) -> TensorDataset<sizeof...(T)>;

/// Dataset of the elements of a vector, which it contains. A DataLoader accepts the vector itself,
/// as PyTorch's accepts a list.
///
///     std::vector<std::pair<Tensor, std::int64_t>> examples = ...;
///     data::DataLoader loader(examples, {.batch_size = 32});
template <class T> class VectorDataset {
 public:
  VectorDataset(std::vector<T> examples) : examples_(std::move(examples)) {}
  /// Returns the number of examples.
  std::int64_t size() const { return static_cast<std::int64_t>(examples_.size()); }
  /// Returns a copy of example i, in which a tensor shares its elements; a negative i counts from
  /// the end. Throws IndexError if i is out of range.
  T get(std::int64_t i) const {
    return examples_[static_cast<std::size_t>(detail::wrap_index(i, size()))];
  }
  /// Returns the vector.
  const std::vector<T>& examples() const { return examples_; }

 private:
  std::vector<T> examples_;
};

/// Subset of a dataset with the given indices, in their order. PyTorch: torch.utils.data.Subset.
template <Dataset D> class Subset {
 public:
  Subset(D dataset, std::vector<std::int64_t> indices)
      : Subset(std::make_shared<const D>(std::move(dataset)), std::move(indices)) {}
  /// Creates a subset that shares the dataset.
  Subset(std::shared_ptr<const D> dataset, std::vector<std::int64_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {}
  /// Returns the number of examples.
  std::int64_t size() const { return static_cast<std::int64_t>(indices_.size()); }
  /// Returns the example at position i of the indices; a negative i counts from the end. Throws
  /// IndexError if i is out of range.
  auto get(std::int64_t i) const {
    return dataset_->get(indices_[static_cast<std::size_t>(detail::wrap_index(i, size()))]);
  }
  /// The steps of `get`, if the dataset has them.
  auto fetch(std::int64_t i) const requires StagedDataset<D> {
    return dataset_->fetch(indices_[static_cast<std::size_t>(detail::wrap_index(i, size()))]);
  }
  template <class Fetched>
  requires StagedDataset<D>
  auto decode(Fetched&& fetched) const { return dataset_->decode(std::forward<Fetched>(fetched)); }
  /// Returns the indices.
  const std::vector<std::int64_t>& indices() const { return indices_; }

 private:
  std::shared_ptr<const D> dataset_;
  std::vector<std::int64_t> indices_;
};

}  // namespace data
}  // namespace taper
