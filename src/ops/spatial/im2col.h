#pragma once
#include "ops/op.h"

namespace taper {

/// Columns of the sliding blocks of an image, or the adjoint (`Back`): the sum of the blocks at
/// their positions in an image. The lists have two elements.
template <bool Back> struct Im2ColOf {
  Shape output_size{};  ///< adjoint only: height and width of the image
  Shape kernel_size{1, 1}, dilation{1, 1}, padding{0, 0}, stride{1, 1};
  TAPER_ATTRIBUTES(output_size, kernel_size, dilation, padding, stride)
  static constexpr OpInfo op{.name = Back ? "col2im" : "im2col",
                             .node = Back ? "Col2ImBackward0" : "Im2ColBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::floating | DTypeSet{DType::bool_},
                             .public_name = Back ? "fold" : "unfold"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Im2ColOf>& b) const;
};

using Im2Col = Im2ColOf<false>;
using Col2Im = Im2ColOf<true>;

template <> void Im2Col::infer(ShapeInference& i) const;
template <> void Im2Col::backward(BackwardContext<Im2Col>& b) const;
template <> void Col2Im::infer(ShapeInference& i) const;
template <> void Col2Im::backward(BackwardContext<Col2Im>& b) const;

}  // namespace taper
