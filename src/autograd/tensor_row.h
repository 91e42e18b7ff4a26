// A row of tensors whose length is known when it is made: gradients of a node's outputs or inputs.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "taper/core/tensor.h"

namespace taper {

/// Few, as nodes mostly have, lie in the row itself: a step makes two rows per node.
class TensorRow {
 public:
  TensorRow() = default;
  explicit TensorRow(std::size_t size) { reset(size); }

  /// Of `size` undefined tensors.
  void reset(std::size_t size) {
    clear();
    size_ = size;
    if (size > kInline) many_ = std::make_unique<Tensor[]>(size);
  }
  void clear() {
    for (std::size_t i = 0; i < size_ && i < kInline; ++i) few_[i] = Tensor();
    many_.reset();
    size_ = 0;
  }
  void take(TensorRow& other) {
    many_ = std::move(other.many_);
    size_ = std::exchange(other.size_, 0);
    for (std::size_t i = 0; i < size_ && i < kInline; ++i) few_[i] = std::move(other.few_[i]);
  }
  Tensor& operator[](std::size_t i) { return data()[i]; }
  operator std::span<Tensor>() { return {data(), size_}; }

 private:
  static constexpr std::size_t kInline = 4;
  Tensor* data() { return many_ ? many_.get() : few_; }
  std::size_t size_ = 0;
  std::unique_ptr<Tensor[]> many_;
  Tensor few_[kInline];
};

}  // namespace taper
