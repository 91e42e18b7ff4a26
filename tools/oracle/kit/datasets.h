// Datasets described in cases.
#pragma once
#include <variant>

#include "kit/values.h"
#include "taper/core/value.h"
#include "taper/data/combine.h"

namespace taper::oracle {

/// Dataset whose examples are values.
struct AnyDataset {
  std::int64_t count = 0;
  SharedFunction<Value(std::int64_t)> example{};
  std::vector<std::int64_t> cumulative_sizes{};

  std::int64_t size() const { return count; }
  Value get(std::int64_t i) const { return example(i); }
};

/// Iterable dataset whose examples are values. `length` is empty if the number of examples is not
/// known.
struct AnyIterable {
  using Next = SharedFunction<std::optional<Value>()>;
  SharedFunction<Next()> start{};
  std::optional<std::int64_t> length{};

  std::int64_t size() const { return length.value(); }
  Next iterate() const { return start(); }
};

using SomeDataset = std::variant<AnyDataset, AnyIterable>;

/// Creates the dataset that `spec` describes. Throws the errors of its constructor.
SomeDataset make_dataset(Case& c, const Json& spec);

}  // namespace taper::oracle
