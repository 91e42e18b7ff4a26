#pragma once
#include "ops/op.h"

namespace taper {

/// The largest (smallest) elements over `dim` (none given: over all). Equal ones share the
/// gradient. PyTorch records max() of everything under a name of its own.
template <bool Largest, bool All> struct ExtremeOver {
  std::optional<Shape> dim{};
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr std::string_view kNames[] = {"amin", "amax", "min_all", "max_all"};
  static constexpr std::string_view kNodes[] = {"AminBackward0", "AmaxBackward0", "MinBackward1",
                                                "MaxBackward1"};
  static constexpr OpInfo op{.name = kNames[2 * All + Largest],
                             .node = kNodes[2 * All + Largest],
                             .inputs = "input",
                             .keep = in(0) | out(0),
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(Backward& b) const;
};

}  // namespace taper
