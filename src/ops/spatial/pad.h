#pragma once
#include "ops/op.h"

namespace taper {

/// Pads with `value`. `pad` has two counts, before and after, per dimension, starting with the last
/// dimension; negative counts crop.
struct ConstantPadNd {
  Shape pad{};
  Scalar value = 0;
  TAPER_ATTRIBUTES(pad, value)
  static constexpr OpInfo op{.name = "constant_pad_nd",
                             .node = "ConstantPadNdBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ConstantPadNd>& b) const;
};

/// Pads the last dimensions with elements of the input, or its adjoint (`Back`). `mode` is
/// "reflect", "replicate" or "circular".
template <bool Back> struct BorderPadOf {
  Shape pad{};  ///< as of ConstantPadNd
  std::string mode = "reflect";
  Shape input_size{};  ///< adjoint only: shape of the input of the padding
  TAPER_ATTRIBUTES(pad, mode, input_size)
  static constexpr OpInfo op{.name = Back ? "border_pad_backward" : "border_pad",
                             .node = Back ? "BorderPadBackwardBackward0" : "BorderPadBackward0",
                             .inputs = Back ? "grad" : "input",
                             .dtypes = Back ? DTypeSet::floating : DTypeSet::every,
                             .public_name = "pad"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<BorderPadOf>& b) const;
};

using BorderPad = BorderPadOf<false>;
using BorderPadBackward = BorderPadOf<true>;

template <> void BorderPad::infer(ShapeInference& i) const;
template <> void BorderPad::backward(BackwardContext<BorderPad>& b) const;
template <> void BorderPadBackward::infer(ShapeInference& i) const;
template <> void BorderPadBackward::backward(BackwardContext<BorderPadBackward>& b) const;

}  // namespace taper
