#include "taper/core/shape.h"

#include <algorithm>

#include "core/check.h"

namespace taper {

void Shape::grow(std::size_t count) {
  const std::size_t capacity = std::max<std::size_t>(count, std::size_t{2} * capacity_);
  auto* bigger = new std::int64_t[capacity];
  std::copy(begin(), end(), bigger);
  if (heap_) release();
  heap_ = bigger;
  capacity_ = static_cast<std::uint32_t>(capacity);
}

void Shape::release() noexcept { delete[] heap_; }

void Shape::push_back(std::int64_t value) { insert(size_, value); }

void Shape::insert(std::size_t at, std::int64_t value) {
  if (size_ == capacity_) grow(size_ + std::size_t{1});
  std::int64_t* d = data();
  std::copy_backward(d + at, d + size_, d + size_ + 1);
  d[at] = value;
  ++size_;
}

void Shape::erase(std::size_t at) {
  std::copy(begin() + at + 1, end(), begin() + at);
  --size_;
}

std::int64_t Shape::numel() const {
  std::int64_t n = 1;
  bool overflow = false, zero = false;
  for (std::int64_t d : *this) {
    zero |= d == 0;
    overflow |= __builtin_mul_overflow(n, d, &n);
  }
  if (zero) return 0;
  if (overflow) fail<ShapeError>("shape: the number of elements of {} exceeds 2^63 - 1", str());
  return n;
}

std::string Shape::str() const {
  std::string text = "[";
  for (std::int64_t d : *this) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(d);
  }
  return text + "]";
}

Shape contiguous_strides(const Shape& shape) {
  Shape strides = shape;
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    if (i > 0 && __builtin_mul_overflow(step, std::max<std::int64_t>(shape[i], 1), &step))
      fail<ShapeError>("shape: a stride of shape {} exceeds 2^63 - 1", shape);
  }
  return strides;
}

}  // namespace taper
