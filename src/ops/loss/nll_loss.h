#pragma once
#include "ops/op.h"

namespace taper {

/// Negative log likelihood of class indices: -weight[target] * input[target], reduced. `Plane`
/// selects the form for inputs [N, C, d1, ...], which PyTorch records under a separate name.
template <bool Plane> struct NllLoss {
  std::string reduction = "mean";
  std::int64_t ignore_index = -100;
  TAPER_ATTRIBUTES(reduction, ignore_index)
  static void dtype_error(const ShapeInference& i) {
    i.fail<DTypeError>("expected a floating point input: got {}", i.common);
  }
  static constexpr OpInfo op{.name = Plane ? "nll_loss2d" : "nll_loss",
                             .node = Plane ? "NllLoss2DBackward0" : "NllLossBackward0",
                             .inputs = "input target weight?",
                             .outputs = "output total_weight",
                             .dtypes = DTypeSet::floating,
                             .saved = in(1) | in(2) | out(1),
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .dtype_error = dtype_error,
                             .public_name = "nll_loss"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<NllLoss>& b) const;
};

/// Gradient of NllLoss with respect to its input, of which `shape` is the shape. NllLoss is linear
/// in its input, whose values are therefore not required.
template <bool Plane> struct NllLossBackward {
  std::string reduction = "mean";
  std::int64_t ignore_index = -100;
  Shape shape{};
  TAPER_ATTRIBUTES(reduction, ignore_index, shape)
  static constexpr OpInfo op{
      .name = Plane ? "nll_loss2d_backward" : "nll_loss_backward",
      .node = Plane ? "NllLoss2DBackwardBackward0" : "NllLossBackwardBackward0",
      .inputs = "grad_output target weight? total_weight",
      .dtypes = DTypeSet::floating,
      .saved = in(1) | in(2),
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<NllLossBackward>& b) const;
};

}  // namespace taper
