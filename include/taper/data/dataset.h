// What data loaders read from.
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

/// A collection of examples: `get(i)` gives example i, for 0 <= i < size(). An example is a tensor,
/// a number, or a tuple of such. `get` may be called by several threads at once.
/// PyTorch: torch.utils.data.Dataset (map-style).
template <class D>
concept Dataset = requires(const D& d, std::int64_t i) {
  d.get(i);
  { d.size() } -> std::convertible_to<std::int64_t>;
};

template <Dataset D> using Example =
    std::remove_cvref_t<decltype(std::declval<const D&>().get(std::int64_t{}))>;

namespace detail {
void check_equal_sizes(std::span<const Tensor> tensors);
std::int64_t wrap_index(std::int64_t i, std::int64_t size);
/// The rows of `t` that `indices` name.
Tensor rows_of(const Tensor& t, std::span<const std::int64_t> indices);
}  // namespace detail

/// Tensors whose first dimension counts examples; example i is the tuple of their slices i.
///
///     data::TensorDataset train(images, labels);   // (N, 1, 28, 28) and (N)
///     auto [image, label] = train.get(0);          // (1, 28, 28) and ()
///
/// PyTorch: torch.utils.data.TensorDataset. Throws ValueError for tensors of different sizes.
template <std::size_t N> class TensorDataset {
 public:
  template <std::convertible_to<Tensor>... T>
  requires(sizeof...(T) == N) explicit TensorDataset(const T&... tensors)
      : tensors_{Tensor(tensors)...} {
    detail::check_equal_sizes(tensors_);
  }

  std::int64_t size() const { return tensors_[0].size(0); }
  /// Throws IndexError; negative indices count from the back.
  auto get(std::int64_t i) const {
    i = detail::wrap_index(i, size());
    return map([i](const Tensor& t) { return t[i]; });
  }
  /// What loaders call in place of get for each index: one copy per tensor.
  auto get_batch(std::span<const std::int64_t> indices) const {
    return map([&](const Tensor& t) { return detail::rows_of(t, indices); });
  }
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

/// Some examples of another dataset, in the given order. PyTorch: torch.utils.data.Subset.
template <Dataset D> class Subset {
 public:
  Subset(D dataset, std::vector<std::int64_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {}
  std::int64_t size() const { return static_cast<std::int64_t>(indices_.size()); }
  auto get(std::int64_t i) const {
    return dataset_.get(indices_[static_cast<std::size_t>(detail::wrap_index(i, size()))]);
  }

 private:
  D dataset_;
  std::vector<std::int64_t> indices_;
};

}  // namespace data
}  // namespace taper
