#pragma once
#include "ops/op.h"

namespace taper {

/// The variance over `dim` (none given: over all) with divisor N - correction, or its square root;
/// `WithMean` gives the mean beside it.
template <bool Root, bool WithMean> struct Spread {
  std::optional<Shape> dim{};
  Scalar correction = 1;
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, correction, keepdim)
  static constexpr std::string_view kNames[] = {"var", "std", "var_mean", "std_mean"};
  static constexpr std::string_view kNodes[] = {"VarBackward0", "StdBackward0", "VarMeanBackward0",
                                                "StdMeanBackward0"};
  static constexpr OpInfo op{.name = kNames[2 * WithMean + Root],
                             .node = kNodes[2 * WithMean + Root],
                             .inputs = "input",
                             .outputs = WithMean ? "output mean" : "output",
                             .keep = Root ? in(0) | out(0) : in(0),
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(Backward& b) const;
};

}  // namespace taper
