#pragma once
#include "ops/pool/window.h"

namespace taper {

/// Representation of the position of each maximum: PyTorch's flat indices (i64), or the index
/// within the window as one byte (255: none), which needs an eighth of the memory.
enum class PoolIndexKind { flat, window };
constexpr DType index_dtype(PoolIndexKind p) {
  return p == PoolIndexKind::flat ? DType::i64 : DType::u8;
}

/// Maxima of windows and, if requested, their positions.
template <PoolIndexKind P> struct MaxPool2d {
  Shape kernel_size{1}, stride{1}, padding{0}, dilation{1};
  bool ceil_mode = false;
  bool return_indices = true;  ///< false: indices are neither returned nor needed for a gradient
  TAPER_ATTRIBUTES(kernel_size, stride, padding, dilation, ceil_mode, return_indices)
  static constexpr OpInfo op{
      .name = P == PoolIndexKind::flat ? "max_pool2d_with_indices" : "max_pool2d",
      .node = "MaxPool2DWithIndicesBackward0",
      .inputs = "input",
      .outputs = "output indices",
      .dtypes = DTypeSet::no_bool,
      .saved = out(1),
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MaxPool2d>& b) const;
  pool::Window window() const { return {kernel_size, stride, padding, dilation, ceil_mode}; }
};

/// Scatters each gradient to the position of its maximum. Linear in `grad`.
template <PoolIndexKind P> struct MaxPool2dBackward {
  Shape kernel_size{1}, stride{1}, padding{0}, dilation{1};
  Shape input_size{};  ///< shape of the input of the pooling
  TAPER_ATTRIBUTES(kernel_size, stride, padding, dilation, input_size)
  static constexpr OpInfo op{
      .name = P == PoolIndexKind::flat ? "max_pool2d_with_indices_backward" : "max_pool2d_backward",
      .node = "MaxPool2DWithIndicesBackwardBackward0",
      .inputs = "grad indices",
      .dtypes = DTypeSet::floating,
      .saved = in(1),
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MaxPool2dBackward>& b) const;
  pool::Window window() const { return {kernel_size, stride, padding, dilation}; }
};

/// Gathers the elements of `input` at the positions of the maxima: the adjoint of
/// MaxPool2dBackward.
template <PoolIndexKind P> struct MaxPool2dPick {
  Shape kernel_size{1}, stride{1}, padding{0}, dilation{1};
  TAPER_ATTRIBUTES(kernel_size, stride, padding, dilation)
  static constexpr OpInfo op{
      .name = P == PoolIndexKind::flat ? "max_pool2d_with_indices_pick" : "max_pool2d_pick",
      .node = "MaxPool2DPickBackward0",
      .inputs = "input indices",
      .dtypes = DTypeSet::all,
      .saved = in(1)};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MaxPool2dPick>& b) const;
  pool::Window window() const { return {kernel_size, stride, padding, dilation}; }
};

}  // namespace taper
