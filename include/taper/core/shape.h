// Shape: sizes, strides and lists of dimensions.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {

/// Short list of integers: the sizes or strides of a tensor, or a list of dimensions. Up to eight
/// are stored inline. Constructed from `{2, 3}`, a vector, a span, or one integer; a bool does not
/// compile. PyTorch: torch.Size.
class Shape {
 public:
  /// Element of a braced list.
  class Item : public IntArg {
   public:
    using IntArg::IntArg;
    constexpr Item(IntArg value) noexcept : IntArg(value) {}
    template <std::same_as<bool> B> Item(B) = delete;   // a bool is not a size or dimension
    template <std::floating_point F> Item(F) = delete;  // nor is a floating-point number
  };
  using value_type = std::int64_t;
  static constexpr std::size_t kInline = 8;

  Shape() noexcept {}
  Shape(std::initializer_list<Item> values) { assign(values.begin(), values.size()); }
  template <std::same_as<std::initializer_list<std::int64_t>> List> Shape(List values) {
    assign(values.begin(), values.size());
  }
  Shape(std::span<const std::int64_t> values) { assign(values.data(), values.size()); }
  Shape(const std::vector<std::int64_t>& values) { assign(values.data(), values.size()); }
  template <std::integral I>
  requires(!std::same_as<I, bool>) Shape(I single) : size_(1) {
    inline_[0] = static_cast<std::int64_t>(single);
  }
  template <std::same_as<bool> B> Shape(B) = delete;  // a bool is not a size or dimension
  /// Returns a list of `count` equal values.
  static Shape filled(std::size_t count, std::int64_t value) {
    Shape s;
    s.resize(count, value);
    return s;
  }
  Shape(const Shape& o) { assign(o.data(), o.size_); }
  Shape(Shape&& o) noexcept : size_(o.size_), capacity_(o.capacity_), heap_(o.heap_) {
    if (!heap_) copy_inline(o);
    o.reset_to_inline();
  }
  Shape& operator=(const Shape& o) {
    if (this != &o) assign(o.data(), o.size_);
    return *this;
  }
  Shape& operator=(Shape&& o) noexcept {
    if (this == &o) return *this;
    if (heap_) release();
    size_ = o.size_, heap_ = o.heap_, capacity_ = o.capacity_;
    if (!heap_) copy_inline(o);
    o.reset_to_inline();
    return *this;
  }
  ~Shape() {
    if (heap_) release();
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const std::int64_t* data() const noexcept { return heap_ ? heap_ : inline_; }
  std::int64_t* data() noexcept { return heap_ ? heap_ : inline_; }
  const std::int64_t* begin() const noexcept { return data(); }
  const std::int64_t* end() const noexcept { return data() + size_; }
  std::int64_t* begin() noexcept { return data(); }
  std::int64_t* end() noexcept { return data() + size_; }
  std::int64_t operator[](std::size_t i) const noexcept { return data()[i]; }
  std::int64_t& operator[](std::size_t i) noexcept { return data()[i]; }
  std::int64_t front() const noexcept { return data()[0]; }
  std::int64_t back() const noexcept { return data()[size_ - 1]; }
  operator std::span<const std::int64_t>() const noexcept { return {data(), size_}; }

  /// Appends a value.
  void push_back(std::int64_t value);
  /// Inserts a value at position `at`.
  void insert(std::size_t at, std::int64_t value);
  /// Removes the value at position `at`.
  void erase(std::size_t at);
  /// Changes the number of values; new ones are equal to `value`.
  void resize(std::size_t count, std::int64_t value = 0) {
    if (count > capacity_) grow(count);
    std::int64_t* to = data();
    for (std::size_t i = size_; i < count; ++i) to[i] = value;
    size_ = static_cast<std::uint32_t>(count);
  }
  void clear() noexcept { size_ = 0; }

  /// Returns the product of all values; 1 if the list is empty. Throws ShapeError if it exceeds
  /// 2^63 - 1.
  std::int64_t numel() const;
  /// Returns the printed form: "[2, 3]".
  std::string str() const;

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.size_ != b.size_) return false;
    const std::int64_t *p = a.data(), *q = b.data();
    for (std::size_t i = 0; i < a.size_; ++i)
      if (p[i] != q[i]) return false;
    return true;
  }

 private:
  template <class Integer> void assign(const Integer* values, std::size_t count) {
    if (count > capacity_) grow(count);
    std::int64_t* to = data();
    for (std::size_t i = 0; i < count; ++i) to[i] = values[i];
    size_ = static_cast<std::uint32_t>(count);
  }
  void copy_inline(const Shape& o) noexcept {
    for (std::size_t i = 0; i < size_; ++i) inline_[i] = o.inline_[i];
  }
  void reset_to_inline() noexcept { size_ = 0, heap_ = nullptr, capacity_ = kInline; }
  void grow(std::size_t count);
  void release() noexcept;

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  std::int64_t* heap_ = nullptr;
  std::int64_t inline_[kInline];
};

/// List of dimensions of a reduction or permutation.
using Dims = Shape;

/// Returns the strides of a row-major tensor of this shape.
Shape contiguous_strides(const Shape& shape);

}  // namespace taper
