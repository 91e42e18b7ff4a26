// The elements of a tensor one after the other, whatever its dtype and strides, in pieces.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "taper/core/tensor.h"

namespace taper::cli {

/// Reads elements in the order of the indices, as T (double or int64_t). Nothing is copied but the
/// piece that is read, so that a tensor over a mapped file needs no memory of its own.
template <class T> class Elements {
 public:
  explicit Elements(const taper::Tensor& t);
  /// Fills `buffer` from its beginning; gives how many there were, 0 at the end.
  std::size_t read(std::span<T> buffer);

 private:
  void advance(std::int64_t done);

  taper::Tensor kept_;
  const std::byte* data_ = nullptr;
  taper::DType dtype_;
  taper::Shape shape_, strides_, index_;  // of the outer dimensions
  std::int64_t length_ = 1, step_ = 1;    // of the innermost
  std::int64_t offset_ = 0, at_ = 0;      // of the row, and in it
  std::int64_t left_ = 0;
};

/// Whether there are elements in memory: not those of a meta tensor or one without a shape.
bool has_elements(const taper::Tensor& t);
/// The tensor without the dimensions that repeat it (of stride 0), and how often they do.
struct Distinct {
  taper::Tensor tensor;
  std::int64_t repeated = 1;
};
Distinct distinct(const taper::Tensor& t);
/// Whether the elements lie over each other so much that reading all would take far longer than
/// reading the memory they lie in: a file can say so in a few bytes.
bool is_overlapping(const taper::Tensor& t);

}  // namespace taper::cli
