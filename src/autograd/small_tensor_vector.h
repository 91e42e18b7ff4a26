// Vector of tensors of fixed length: the gradients of a node's outputs or inputs.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "taper/core/tensor.h"

namespace taper {

/// Stores up to four tensors inline: most nodes have few inputs and outputs, and a pass uses two of
/// these vectors per node.
class SmallTensorVector {
 public:
  SmallTensorVector() = default;
  explicit SmallTensorVector(std::size_t size) { reset(size); }

  /// Replaces the contents with `size` undefined tensors.
  void reset(std::size_t size) {
    clear();
    size_ = size;
    if (size > kInline) heap_ = std::make_unique<Tensor[]>(size);
  }
  void clear() {
    for (std::size_t i = 0; i < size_ && i < kInline; ++i) inline_[i] = Tensor();
    heap_.reset();
    size_ = 0;
  }
  /// Moves the contents of `other`, which becomes empty, into this empty vector.
  void take(SmallTensorVector& other) {
    heap_ = std::move(other.heap_);
    size_ = std::exchange(other.size_, 0);
    for (std::size_t i = 0; i < size_ && i < kInline; ++i) inline_[i] = std::move(other.inline_[i]);
  }
  Tensor& operator[](std::size_t i) { return data()[i]; }
  operator std::span<Tensor>() { return {data(), size_}; }

 private:
  static constexpr std::size_t kInline = 4;
  Tensor* data() { return heap_ ? heap_.get() : inline_; }
  std::size_t size_ = 0;
  std::unique_ptr<Tensor[]> heap_;
  Tensor inline_[kInline];
};

}  // namespace taper
