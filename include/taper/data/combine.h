// ConcatDataset, ChainDataset and StackDataset: datasets that combine others.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"
#include "taper/data/dataset.h"

namespace TAPER_API taper {
namespace data {
namespace detail {

/// Returns the position of example i in a list of datasets that end at `ends`: the number of the
/// dataset and the index in it. A negative i counts from the end. Throws IndexError if i is out of
/// range.
std::pair<std::size_t, std::int64_t> find_part(std::int64_t i,
                                               const std::vector<std::int64_t>& ends);
/// Throws ValueError unless all sizes are equal.
void check_stacked_sizes(const std::vector<std::int64_t>& sizes);

}  // namespace detail

/// Concatenation of datasets whose examples have the same type T: `ConcatDataset(a, b)`, or of a
/// vector of datasets. PyTorch: torch.utils.data.ConcatDataset.
template <class T> class ConcatDataset {
 public:
  template <Dataset... D>
  requires((sizeof...(D) > 0) &&
           (std::is_same_v<Example<D>, T> && ...)) explicit ConcatDataset(D... datasets) {
    (append(std::move(datasets)), ...);
  }
  template <Dataset D> explicit ConcatDataset(std::vector<D> datasets) {
    for (D& dataset : datasets) append(std::move(dataset));
  }

  /// Returns the number of examples.
  std::int64_t size() const { return cumulative_sizes_.empty() ? 0 : cumulative_sizes_.back(); }
  /// Returns example i; a negative i counts from the end. Throws IndexError if i is out of range.
  T get(std::int64_t i) const {
    const auto [part, index] = detail::find_part(i, cumulative_sizes_);
    return parts_[part](index);
  }
  /// Returns the number of examples up to the end of each dataset.
  const std::vector<std::int64_t>& cumulative_sizes() const { return cumulative_sizes_; }

 private:
  template <class D> void append(D dataset) {
    cumulative_sizes_.push_back(size() + dataset.size());
    parts_.emplace_back([d = std::move(dataset)](std::int64_t i) -> T { return d.get(i); });
  }

  std::vector<SharedFunction<T(std::int64_t)>> parts_;
  std::vector<std::int64_t> cumulative_sizes_;
};
template <Dataset D, Dataset... E> ConcatDataset(D, E...) -> ConcatDataset<Example<D>>;
template <Dataset D> ConcatDataset(std::vector<D>) -> ConcatDataset<Example<D>>;

/// Concatenation of iterable datasets whose examples have the same type T.
/// PyTorch: torch.utils.data.ChainDataset.
template <class T> class ChainDataset {
 public:
  template <IterableDataset... D>
  requires((sizeof...(D) > 0) &&
           (std::is_same_v<IteratedExample<D>, T> && ...)) explicit ChainDataset(D... datasets)
      : parts_{[d = std::move(datasets)] { return Next(d.iterate()); }...} {}
  template <IterableDataset D> explicit ChainDataset(std::vector<D> datasets) {
    for (D& dataset : datasets)
      parts_.emplace_back([d = std::move(dataset)] { return Next(d.iterate()); });
  }

  /// Returns a function that returns the next example of the datasets, in order, or std::nullopt
  /// after the last one.
  auto iterate() const {
    return [parts = parts_, part = std::size_t{0}, next = Next()]() mutable -> std::optional<T> {
      for (; part < parts.size(); ++part) {
        if (!next) next = parts[part]();
        if (auto example = next()) return example;
        next = {};
      }
      return std::nullopt;
    };
  }

 private:
  using Next = SharedFunction<std::optional<T>()>;
  std::vector<SharedFunction<Next()>> parts_;
};
template <IterableDataset D, IterableDataset... E> ChainDataset(D, E...)
    -> ChainDataset<IteratedExample<D>>;
template <IterableDataset D> ChainDataset(std::vector<D>) -> ChainDataset<IteratedExample<D>>;

/// Dataset with a name, for StackDataset.
template <Dataset D> struct NamedDataset {
  NamedDataset(std::string n, D d) : name(std::move(n)), dataset(std::move(d)) {}
  /// Returns the number of examples.
  std::int64_t size() const { return dataset.size(); }
  /// Returns example i of the dataset.
  Example<D> get(std::int64_t i) const { return dataset.get(i); }

  std::string name;
  D dataset;
};

namespace detail {

template <class D> inline constexpr bool is_named = false;
template <class D> inline constexpr bool is_named<NamedDataset<D>> = true;

/// Throws ValueError if two names are equal.
void check_stacked_names(const std::vector<std::string>& names);

/// Returns an example as a value; a tuple becomes a tuple.
template <class T> Value to_value(const T& example) { return example; }
template <class... T> Value to_value(const std::tuple<T...>& example) {
  return std::apply([](const T&... item) { return Value::tuple({detail::to_value(item)...}); },
                    example);
}

}  // namespace detail

/// Dataset of the tuples of the examples of datasets of equal size. If the datasets have names, an
/// example is a `Value`, the dict of the examples by name, of which default_collate creates a dict
/// of batches. Throws ValueError if the sizes differ or two names are equal.
/// PyTorch: torch.utils.data.StackDataset.
///
///     data::StackDataset pairs(images, labels);  // tuples
///     data::StackDataset named(data::NamedDataset("image", images),
///                              data::NamedDataset("label", labels));  // dicts
template <Dataset... D>
requires(sizeof...(D) > 0) class StackDataset {
 public:
  explicit StackDataset(D... datasets) : datasets_(std::move(datasets)...) {
    std::apply(
        [](const D&... d) {
          detail::check_stacked_sizes({static_cast<std::int64_t>(d.size())...});
          if constexpr (kNamed) detail::check_stacked_names({d.name...});
        },
        datasets_);
  }

  /// Returns the number of examples.
  std::int64_t size() const { return std::get<0>(datasets_).size(); }
  /// Returns example i; a negative i counts from the end. Throws IndexError if i is out of range.
  auto get(std::int64_t i) const {
    i = detail::wrap_index(i, size());
    return std::apply(
        [i](const D&... d) {
          if constexpr (kNamed)
            return Value::dict({{d.name, detail::to_value(d.get(i))}...});
          else
            return std::tuple<Example<D>...>(d.get(i)...);
        },
        datasets_);
  }

 private:
  static constexpr bool kNamed = (detail::is_named<D> && ...);
  std::tuple<D...> datasets_;
};

}  // namespace data
}  // namespace taper
