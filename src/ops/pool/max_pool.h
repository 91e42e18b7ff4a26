#pragma once
#include "ops/pool/window.h"

namespace taper {

/// How a pooling remembers where its elements came from: as PyTorch's indices (i64), or in one
/// byte, as the number of the element within its window (255: none), which moves an eighth of the
/// memory.
enum class PoolPlace { index, tap };
constexpr DType place_dtype(PoolPlace p) { return p == PoolPlace::index ? DType::i64 : DType::u8; }

/// The attributes of the three ops below.
template <PoolPlace P> struct MaxPool2d {
  Shape kernel_size{1}, stride{1}, padding{0}, dilation{1};
  bool ceil_mode = false;
  bool places = true;  ///< false: no gradient is wanted, and nobody asks where elements came from
  TAPER_ATTRIBUTES(kernel_size, stride, padding, dilation, ceil_mode, places)
  static constexpr OpInfo op{
      .name = P == PoolPlace::index ? "max_pool2d_with_indices" : "max_pool2d",
      .node = "MaxPool2DWithIndicesBackward0",
      .inputs = "input",
      .outputs = "output indices",
      .saved = out(1),
      .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<MaxPool2d>& b) const;
  pool::Window window() const { return {kernel_size, stride, padding, dilation, ceil_mode}; }
};

/// Puts each gradient back where its element came from: linear in `grad`.
template <PoolPlace P> struct MaxPool2dBackward {
  Shape kernel_size{1}, stride{1}, padding{0}, dilation{1};
  Shape result{};  ///< the input's shape
  TAPER_ATTRIBUTES(kernel_size, stride, padding, dilation, result)
  static constexpr OpInfo op{
      .name = P == PoolPlace::index ? "max_pool2d_with_indices_backward" : "max_pool2d_backward",
      .node = "MaxPool2DWithIndicesBackwardBackward0",
      .inputs = "grad indices",
      .saved = in(1),
      .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<MaxPool2dBackward>& b) const;
  pool::Window window() const { return {kernel_size, stride, padding, dilation}; }
};

/// Its adjoint: the elements of `input` that were the largest.
template <PoolPlace P> struct MaxPool2dPick {
  Shape kernel_size{1}, stride{1}, padding{0}, dilation{1};
  TAPER_ATTRIBUTES(kernel_size, stride, padding, dilation)
  static constexpr OpInfo op{
      .name = P == PoolPlace::index ? "max_pool2d_with_indices_pick" : "max_pool2d_pick",
      .node = "MaxPool2DPickBackward0",
      .inputs = "input indices",
      .saved = in(1)};
  void infer(Infer& i) const;
  void backward(BackwardContext<MaxPool2dPick>& b) const;
  pool::Window window() const { return {kernel_size, stride, padding, dilation}; }
};

}  // namespace taper
