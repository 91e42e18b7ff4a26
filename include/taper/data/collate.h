// Collate: combines examples into a batch.
#pragma once
#include <array>
#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/factory.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace data {

/// Combines examples of type T into a batch with `static B batch(std::vector<T>&&)`. Tensors of
/// equal shape are stacked along a new first dimension, numbers become a tensor (integers i64,
/// floating-point numbers f64), tuples and pairs are combined by member, and other types become a
/// vector. Specialize it for user-defined types. PyTorch: torch.utils.data.default_collate.
template <class T> struct Collate {
  static std::vector<T> batch(std::vector<T>&& examples) { return std::move(examples); }
};

template <> struct Collate<Tensor> { static Tensor batch(std::vector<Tensor>&& examples); };
template <> struct Collate<bool> { static Tensor batch(std::vector<bool>&& examples); };
template <> struct Collate<Value> { static Value batch(std::vector<Value>&& examples); };
template <std::integral I> struct Collate<I> {
  static Tensor batch(std::vector<I>&& examples) {
    return tensor(std::vector<std::int64_t>(examples.begin(), examples.end()));
  }
};
template <std::floating_point F> struct Collate<F> {
  static Tensor batch(std::vector<F>&& examples) {
    return tensor(std::vector<double>(examples.begin(), examples.end()));
  }
};
template <class... T> struct Collate<std::tuple<T...>> {
  static auto batch(std::vector<std::tuple<T...>>&& examples) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::make_tuple(member<I, T>(examples)...);
    }
    (std::index_sequence_for<T...>{});
  }

 private:
  template <std::size_t I, class M> static auto member(std::vector<std::tuple<T...>>& examples) {
    std::vector<M> column;
    column.reserve(examples.size());
    for (auto& example : examples) column.push_back(std::move(std::get<I>(example)));
    return Collate<M>::batch(std::move(column));
  }
};
template <class A, class B> struct Collate<std::pair<A, B>> {
  static auto batch(std::vector<std::pair<A, B>>&& examples) {
    std::vector<A> first;
    std::vector<B> second;
    for (auto& [a, b] : examples) first.push_back(std::move(a)), second.push_back(std::move(b));
    return std::make_pair(Collate<A>::batch(std::move(first)),
                          Collate<B>::batch(std::move(second)));
  }
};

/// Combines values, whose kind is determined by the first one. Tensors of equal shape are stacked
/// along a new first dimension. Numbers become a tensor: f64 for floating-point numbers, otherwise
/// the dtype that `tensor` of them would have. Strings and bytes become a list. Lists and tuples of
/// equal length become a list of combined items, named tuples a named tuple of the class of the
/// first one; strings in them become a tuple. Dicts become a dict with the keys of the first one.
/// Throws TypeError for other kinds and for values that do not fit the first one, RuntimeError for
/// different lengths, KeyError for a missing key, IndexError if there are no values.
/// PyTorch: torch.utils.data.default_collate.
Value default_collate(const Values& examples);
/// Returns `data` with tuples replaced by lists, in nested containers as well; named tuples and
/// other values are unchanged. PyTorch: torch.utils.data.default_convert.
Value default_convert(const Value& data);

/// Combines examples by Collate.
struct DefaultCollate {
  template <class T> auto operator()(std::vector<T>&& examples) const {
    return Collate<T>::batch(std::move(examples));
  }
};

/// Returns the only example, for loaders of single examples. Values are converted by
/// default_convert. PyTorch: torch.utils.data.default_convert.
struct DefaultConvert {
  template <class T> T operator()(std::vector<T>&& examples) const {
    if constexpr (std::same_as<T, Value>)
      return default_convert(examples[0]);
    else
      return std::move(examples[0]);
  }
};

}  // namespace data
}  // namespace taper
