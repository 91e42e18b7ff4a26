// Types of optional fields of options structs, which accept values as Python writes them.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/shape.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Optional tensor of an options struct: `{.weight = w}`, `{.weight = {}}`. Accepts what
/// OptionalTensorRef accepts and stores the handle. An undefined tensor is absent.
class OptionalTensor {
 public:
  OptionalTensor() noexcept = default;
  OptionalTensor(std::nullopt_t) noexcept {}
  OptionalTensor(Tensor tensor) noexcept : tensor_(std::move(tensor)) {}
  OptionalTensor(OptionalTensorRef tensor) : tensor_(tensor.value_or_undefined()) {}
  template <class T>
  requires std::derived_from<T, Tensor> OptionalTensor(const std::optional<T>& tensor) {
    if (tensor) tensor_ = *tensor;
  }

  bool has_value() const noexcept { return tensor_.defined(); }
  explicit operator bool() const noexcept { return tensor_.defined(); }
  const Tensor& operator*() const noexcept { return tensor_; }
  const Tensor* operator->() const noexcept { return &tensor_; }
  /// Returns the tensor; an undefined one if empty.
  const Tensor& value_or_undefined() const noexcept { return tensor_; }
  operator OptionalTensorRef() const noexcept { return tensor_; }

 private:
  Tensor tensor_;
};

/// Optional list of integers of an options struct: `{.stride = 2}`, `{.stride = {2, 1}}`,
/// `{.stride = {}}`, a Shape, or a std::optional of one.
class OptionalShape : public std::optional<Shape> {
 public:
  OptionalShape() noexcept = default;
  OptionalShape(std::nullopt_t) noexcept {}
  OptionalShape(std::initializer_list<Shape::Item> values);
  OptionalShape(Shape values) : optional(std::move(values)) {}
  OptionalShape(std::optional<Shape> values) : optional(std::move(values)) {}
  OptionalShape(const std::vector<std::int64_t>& values);
  template <std::integral I>
  requires(!std::same_as<I, bool>) OptionalShape(I value) : OptionalShape(Shape(value)) {}
  template <std::same_as<bool> B> OptionalShape(B) = delete;  // a bool is not a size
};

/// Optional list of numbers of an options struct: `{.scale_factor = 2}`,
/// `{.scale_factor = {2.0, 1.5}}`, `{.scale_factor = {}}`, a vector, or a std::optional of one.
class OptionalNumbers : public std::optional<std::vector<double>> {
 public:
  OptionalNumbers() noexcept = default;
  OptionalNumbers(std::nullopt_t) noexcept {}
  OptionalNumbers(std::initializer_list<FloatArg> values);
  OptionalNumbers(std::vector<double> values) : optional(std::move(values)) {}
  OptionalNumbers(std::optional<std::vector<double>> values) : optional(std::move(values)) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>) OptionalNumbers(N value)
      : OptionalNumbers(std::vector<double>(1, static_cast<double>(value))) {}
  template <std::same_as<bool> B> OptionalNumbers(B) = delete;  // a bool is not a number
};

namespace detail {

/// First member of an options struct whose fields are given by name only: `{2, 2}` does not
/// convert to the struct, so that it can mean a list of sizes.
struct FieldsByName {
  explicit constexpr FieldsByName() = default;
};

/// Integer of BracedSizes that may be absent. A std::optional would cost every program
/// milliseconds.
struct BracedSize {
  bool given = false;
  std::int64_t value = 0;
  BracedSize() noexcept = default;
  template <std::convertible_to<Shape::Item> I> BracedSize(I size)
      : given(true), value(Shape::Item(size)) {}
};
/// Returns the sizes that are given.
Shape given_sizes(std::initializer_list<BracedSize> sizes);

/// One to five integers in braces, `{2, 1}`, as the last argument of a call in place of a Shape.
/// An aggregate: GCC would ignore the name of a field in braces, `{.strid = 2}`, that converts to a
/// class with constructors.
struct BracedSizes {
  Shape::Item taper_first;
  BracedSize taper_second{}, taper_third{}, taper_fourth{}, taper_fifth{};
  operator Shape() const {
    return given_sizes({taper_first, taper_second, taper_third, taper_fourth, taper_fifth});
  }
};

/// Type of an argument that is a Shape or one integer, without a conversion from braces.
template <class T>
concept ShapeArgument = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, Shape> ||
                        std::same_as<T, std::vector<std::int64_t>>;

}  // namespace detail
}  // namespace taper
