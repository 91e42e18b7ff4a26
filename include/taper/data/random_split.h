// random_split: divides a dataset into random parts.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/data/dataset.h"

namespace TAPER_API taper {
namespace data {
namespace detail {

/// Returns the sizes of parts that are given as sizes, or as fractions of `size`.
std::vector<std::int64_t> part_sizes(std::int64_t size, std::span<const std::int64_t> lengths);
std::vector<std::int64_t> part_sizes(std::int64_t size, std::span<const double> fractions);
/// Returns the indices of each part.
std::vector<std::vector<std::int64_t>> split_indices(std::span<const std::int64_t> sizes,
                                                     const std::optional<Generator>& generator);

/// Type of a length of random_split: a size or a fraction.
template <class T>
concept SplitLength = std::floating_point<T> ||(std::integral<T> && !std::same_as<T, bool>);

}  // namespace detail

/// Divides a dataset into random parts of the given sizes, whose sum is the size of the dataset, or
/// fractions of it, whose sum is 1. A part of fraction f has floor(f * size) examples; the
/// remaining ones are added one by one to the parts, starting with the first. `generator` defaults
/// to the default generator; the parts are those of PyTorch for the same seed. They share the
/// dataset. Throws ValueError for other sums, negative sizes, and fractions that are not in [0, 1];
/// warns of empty parts. PyTorch: torch.utils.data.random_split.
///
///     auto parts = data::random_split(set, {0.8, 0.2});
template <Dataset D, detail::SplitLength T>
std::vector<Subset<D>> random_split(std::shared_ptr<const D> dataset, std::span<const T> lengths,
                                    const std::optional<Generator>& generator = {}) {
  using Number = std::conditional_t<std::floating_point<T>, double, std::int64_t>;
  const std::vector<Number> numbers(lengths.begin(), lengths.end());
  const auto sizes = detail::part_sizes(dataset->size(), std::span<const Number>(numbers));
  std::vector<Subset<D>> parts;
  for (auto& indices : detail::split_indices(sizes, generator))
    parts.emplace_back(dataset, std::move(indices));
  return parts;
}
template <Dataset D, detail::SplitLength T>
std::vector<Subset<D>> random_split(D dataset, std::initializer_list<T> lengths,
                                    const std::optional<Generator>& generator = {}) {
  return random_split(std::make_shared<const D>(std::move(dataset)),
                      std::span<const T>(lengths.begin(), lengths.size()), generator);
}
template <Dataset D, detail::SplitLength T>
std::vector<Subset<D>> random_split(D dataset, const std::vector<T>& lengths,
                                    const std::optional<Generator>& generator = {}) {
  return random_split(std::make_shared<const D>(std::move(dataset)), std::span<const T>(lengths),
                      generator);
}

}  // namespace data
}  // namespace taper
