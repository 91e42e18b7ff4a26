// Reads the elements of a tensor of any dtype and strides in order, in blocks of bounded size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "taper/core/tensor.h"

namespace taper {

/// Reads the elements of a tensor in index order as T (double or int64_t). Copies only the elements
/// that are read, so that a tensor over a mapped file is never loaded entirely.
template <class T> class ElementReader {
 public:
  explicit ElementReader(const Tensor& t);
  /// Fills `buffer` from its beginning. Returns the number of elements that were read: less than
  /// the size of `buffer` at the end of the tensor, then 0.
  std::size_t read(std::span<T> buffer);

 private:
  void advance(std::int64_t count);

  Tensor tensor_;
  const std::byte* data_ = nullptr;
  DType dtype_;
  Shape shape_, strides_, index_;           // of the outer dimensions
  std::int64_t length_ = 1, step_ = 1;      // size and stride of the innermost dimension
  std::int64_t offset_ = 0, position_ = 0;  // offset of the current row, position in it
  std::int64_t remaining_ = 0;
};

/// Returns true if the elements are in host memory. False for undefined, uninitialized and meta
/// tensors and for those on another device.
bool has_host_elements(const Tensor& t);
/// Result of distinct_elements.
struct DistinctElements {
  Tensor tensor;
  std::int64_t repeated = 1;
};
/// Returns `t` narrowed to one element along each dimension of stride 0, and the number of times
/// that each remaining element is repeated in `t`.
DistinctElements distinct_elements(const Tensor& t);
/// Returns true if the elements overlap so much that reading all of them takes far longer than
/// reading the memory once. A small file can describe such a tensor.
bool is_heavily_overlapping(const Tensor& t);

}  // namespace taper
