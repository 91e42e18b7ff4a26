#pragma once
#include "ops/op.h"

namespace taper {

/// Maxima (minima) over `dim`, or over all dimensions if absent. Equal elements share the gradient.
/// `All` selects the ops max() and min() over all elements, which PyTorch records under separate
/// names.
template <bool Largest, bool All> struct MinMaxOver {
  std::optional<Shape> dim{};
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{
      .name = All ? (Largest ? "max_all" : "min_all") : (Largest ? "amax" : "amin"),
      .node = All ? (Largest ? "MaxBackward1" : "MinBackward1")
                  : (Largest ? "AmaxBackward0" : "AminBackward0"),
      .inputs = "input",
      .dtypes = DTypeSet::all,
      .saved = in(0) | out(0),
      .has_cpu_kernel = true,
      .half_in_f32 = true,
      .public_name = All ? (Largest ? "max" : "min") : ""};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MinMaxOver>& b) const;
};

}  // namespace taper
