// tensor({{1, 2}, {3, 4}}): tensors from nested lists of numbers.
#include "core/number_range.h"
#include "ops/factory/make.h"

namespace taper {
namespace {

// Returns the shape that the first entry of each level determines. `flatten` checks the other
// entries against it.
Shape shape_of(const NestedList& values) {
  Shape shape;
  for (const NestedList* level = &values; level->is_list(); level = &level->items().front()) {
    shape.push_back(static_cast<std::int64_t>(level->items().size()));
    if (level->items().empty()) break;
  }
  return shape;
}

void flatten(const NestedList& entry, const Shape& shape, std::size_t dim,
             std::vector<Scalar>& to) {
  if (!entry.is_list()) {
    if (dim != shape.size())
      fail<ValueError>("tensor: got a number at dim {}, expected a sequence of length {}", dim,
                       shape[dim]);
    to.push_back(entry.value());
    return;
  }
  const auto length = static_cast<std::int64_t>(entry.items().size());
  if (dim == shape.size())
    fail<ValueError>("tensor: got a sequence of length {} at dim {}, expected a number", length,
                     dim);
  if (length != shape[dim]) detail::throw_ragged(shape[dim], dim, length);
  for (const NestedList& item : entry.items()) flatten(item, shape, dim + 1, to);
}

DType dtype_of_values(const std::vector<Scalar>& values) {
  DType dtype = values.empty() ? default_dtype() : DType::bool_;
  for (const Scalar& v : values) {
    if (v.is_floating()) return default_dtype();
    if (v.kind() == Scalar::Kind::integer) dtype = DType::i64;
  }
  return dtype;
}

// Returns `v` as T. Throws ValueError if T is an integer type that cannot represent `v`. As in
// PyTorch, floating-point types become infinite, and negative numbers do not wrap around in uint64.
template <class T> T checked_cast(const Scalar& v) {
  if constexpr (std::is_integral_v<T>) {
    const bool wraps = !v.is_floating() && v.to_int() < 0 && std::is_same_v<T, std::uint64_t>;
    if (wraps || !is_in_range(v, dtype_of<T>))
      fail<ValueError>("tensor: value cannot be converted to {} without overflow: got {}",
                       dtype_of<T>, v);
  }
  return v.is_floating() ? element_cast<T>(v.to_double()) : element_cast<T>(v.to_int());
}

}  // namespace

void detail::throw_ragged(std::int64_t expected, std::size_t dim, std::int64_t got) {
  fail<ValueError>("tensor: expected sequence of length {} at dim {} (got {})", expected, dim, got);
}

NestedList::NestedList(std::initializer_list<NestedList> items) : items_(items), is_list_(true) {}

Tensor tensor(const NestedList& values, const TensorOptions& options) {
  const Shape shape = shape_of(values);
  std::vector<Scalar> flat;
  flatten(values, shape, 0, flat);
  return factory::make_from_function(
      shape, options.dtype.value_or(dtype_of_values(flat)), options,
      [&](std::int64_t i, auto type) {
        return checked_cast<decltype(type)>(flat[static_cast<std::size_t>(i)]);
      });
}

}  // namespace taper
