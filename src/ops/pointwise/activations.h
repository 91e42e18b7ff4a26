// Activation functions with attributes, each with the op that computes its gradient.
#pragma once
#include "core/number_range.h"
#include "ops/pointwise/pointwise.h"
#include "ops/promote.h"

namespace taper {

/// Infers the output of an elementwise op with numbers that are converted to the dtype in which it
/// computes.
template <class... Numbers> void infer_with_numbers(ShapeInference& i, const Numbers&... numbers) {
  (i.check_range(numbers, opmath_dtype(i.common)), ...);
  i.set_broadcast_output();
}

/// Gradient rule of an op that is linear in grad_output and piecewise constant in self.
template <class O> void piecewise_gradient(const O& o, BackwardContext<O>& b) {
  if (b.needs_input_grad(0)) b[0] = run(o, b.grad(), b.template input<1>());
  if (b.needs_input_grad(1)) b[1] = zero_grad_for(b, 1);
}

/// Computes 0 where self <= threshold, otherwise grad_output.
struct ThresholdBackward {
  Scalar threshold = 0;
  TAPER_ATTRIBUTES(threshold)
  static constexpr OpInfo op =
      out_of_place(pointwise("threshold_backward", "ThresholdBackwardBackward0", "grad_output self",
                             DTypeSet::no_bool, in(1)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<ThresholdBackward>& b) const { piecewise_gradient(*this, b); }
};
/// Computes `value` where input <= threshold, otherwise input.
struct Threshold {
  Scalar threshold = 0, value = 0;
  TAPER_ATTRIBUTES(threshold, value)
  static constexpr OpInfo op = [] {
    OpInfo info = pointwise("threshold", "ThresholdBackward0", "input", DTypeSet::no_bool, in(0));
    info.accepts_overlap = true;  // the value of an element that is replaced remains the same
    return info;
  }();
  void infer(ShapeInference& i) const {
    i.check_range(value, i.common);
    infer_with_numbers(i, threshold);
  }
  void backward(BackwardContext<Threshold>& b) const {
    b[0] = run(ThresholdBackward{threshold}, b.grad(), b.input<0>());
  }
};

/// Computes grad_output where self > 0, otherwise negative_slope * grad_output.
struct LeakyReluBackward {
  Scalar negative_slope = 0.01;
  TAPER_ATTRIBUTES(negative_slope)
  static constexpr OpInfo op =
      out_of_place(pointwise("leaky_relu_backward", "LeakyReluBackwardBackward0",
                             "grad_output self", DTypeSet::floating, in(1)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<LeakyReluBackward>& b) const { piecewise_gradient(*this, b); }
};
/// Computes input where input > 0, otherwise negative_slope * input.
struct LeakyRelu {
  Scalar negative_slope = 0.01;
  TAPER_ATTRIBUTES(negative_slope)
  static constexpr OpInfo op =
      pointwise("leaky_relu", "LeakyReluBackward0", "input", DTypeSet::floating, in(0));
  void infer(ShapeInference& i) const { infer_with_numbers(i, negative_slope); }
  void backward(BackwardContext<LeakyRelu>& b) const {
    b[0] = run(LeakyReluBackward{negative_slope}, b.grad(), b.input<0>());
  }
};

/// Computes grad_output times the derivative of elu at self.
struct EluBackward {
  Scalar alpha = 1, scale = 1, input_scale = 1;
  TAPER_ATTRIBUTES(alpha, scale, input_scale)
  static constexpr OpInfo op =
      out_of_place(pointwise("elu_backward", "EluBackwardBackward0", "grad_output self",
                             DTypeSet::floating, in(0) | in(1)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<EluBackward>& b) const;
};
/// Computes scale * input where input > 0, otherwise
/// alpha * scale * (e^(input_scale * input) - 1).
struct Elu {
  Scalar alpha = 1, scale = 1, input_scale = 1;
  TAPER_ATTRIBUTES(alpha, scale, input_scale)
  static constexpr OpInfo op = pointwise("elu", "EluBackward0", "input", DTypeSet::floating, in(0));
  void infer(ShapeInference& i) const { infer_with_numbers(i, alpha, scale, input_scale); }
  void backward(BackwardContext<Elu>& b) const {
    b[0] = run(EluBackward{alpha, scale, input_scale}, b.grad(), b.input<0>());
  }
};
/// Factors shared by elu and its gradient.
struct EluCoefficients {
  double negcoef, poscoef, negiptcoef;  ///< alpha * scale, scale, input_scale
  template <class O> static EluCoefficients from(const O& o) {
    const double scale = o.scale.to_double();
    return {o.alpha.to_double() * scale, scale, o.input_scale.to_double()};
  }
};

/// Computes 0 where |self| <= lambd, otherwise (also for NaN) grad_output.
template <bool Soft> struct ShrinkBackward {
  Scalar lambd = 0.5;
  TAPER_ATTRIBUTES(lambd)
  static constexpr OpInfo op =
      out_of_place(pointwise(Soft ? "softshrink_backward" : "hardshrink_backward",
                             Soft ? "SoftshrinkBackwardBackward0" : "HardshrinkBackwardBackward0",
                             "grad_output self", DTypeSet::floating, in(1)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<ShrinkBackward>& b) const { piecewise_gradient(*this, b); }
};
/// Computes 0 where |input| <= lambd, otherwise input (hard), or input moved toward 0 by lambd
/// (soft).
template <bool Soft> struct Shrink {
  Scalar lambd = 0.5;
  TAPER_ATTRIBUTES(lambd)
  static constexpr OpInfo op = pointwise(Soft ? "softshrink" : "hardshrink",
                                         Soft ? "SoftshrinkBackward0" : "HardshrinkBackward0",
                                         "input", DTypeSet::floating, in(0));
  void infer(ShapeInference& i) const {
    const double max = number_range_of(i.common).floating_highest;
    if (Soft && !(lambd.to_double() >= 0 && lambd.to_double() <= max))
      i.fail<ValueError>("lambda must be in range [0, {}] for input dtype {}, but found {}", max,
                         legacy_name(i.common), lambd);
    i.check_range(lambd, i.common);
    i.set_broadcast_output();
  }
  void backward(BackwardContext<Shrink>& b) const {
    b[0] = run(ShrinkBackward<Soft>{lambd}, b.grad(), b.template input<0>());
  }
};
using Softshrink = Shrink<true>;
using Hardshrink = Shrink<false>;
using SoftshrinkBackward = ShrinkBackward<true>;
using HardshrinkBackward = ShrinkBackward<false>;

/// Computes grad_output times the derivative of softplus at self.
struct SoftplusBackward {
  Scalar beta = 1, threshold = 20;
  TAPER_ATTRIBUTES(beta, threshold)
  static constexpr OpInfo op =
      out_of_place(pointwise("softplus_backward", "SoftplusBackwardBackward0", "grad_output self",
                             DTypeSet::floating, in(0) | in(1)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<SoftplusBackward>& b) const;
};
/// Computes log(1 + e^(beta * input)) / beta, or input where beta * input > threshold.
struct Softplus {
  Scalar beta = 1, threshold = 20;
  TAPER_ATTRIBUTES(beta, threshold)
  static constexpr OpInfo op =
      pointwise("softplus", "SoftplusBackward0", "input", DTypeSet::floating, in(0));
  void infer(ShapeInference& i) const { infer_with_numbers(i, beta, threshold); }
  void backward(BackwardContext<Softplus>& b) const {
    b[0] = run(SoftplusBackward{beta, threshold}, b.grad(), b.input<0>());
  }
};

/// Computes max(input, 0) + min(alpha * (e^(input / alpha) - 1), 0).
struct Celu {
  Scalar alpha = 1.0;
  TAPER_ATTRIBUTES(alpha)
  static constexpr OpInfo op =
      pointwise("celu", "CeluBackward0", "input", DTypeSet::floating, in(0));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Celu>& b) const;
  Elu as_elu() const { return {.alpha = alpha, .input_scale = 1 / alpha.to_double()}; }
};

}  // namespace taper
