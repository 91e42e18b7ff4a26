#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Comparisons have a node only for their in-place forms, which overwrite numbers with 0 and 1.
struct Comparison : PointwiseOp {
  static constexpr OpInfo info(std::string_view name, std::string_view node) {
    return pointwise(name, node, "input other", 0, Promote::comparison);
  }
  void backward(BackwardContextBase& b) const {
    for (int i = 0; i < 2; ++i)
      if (b.needs_input_grad(i)) b[i] = no_influence(b, i);
  }
};

struct Eq : Comparison {
  static constexpr OpInfo op = info("eq", "EqBackward0");
  template <class T> static bool holds(T a, T b) { return a == b; }
};
struct Ne : Comparison {
  static constexpr OpInfo op = info("ne", "NeBackward0");
  template <class T> static bool holds(T a, T b) { return a != b; }
};
struct Lt : Comparison {
  static constexpr OpInfo op = info("lt", "LtBackward0");
  template <class T> static bool holds(T a, T b) { return a < b; }
};
struct Le : Comparison {
  static constexpr OpInfo op = info("le", "LeBackward0");
  template <class T> static bool holds(T a, T b) { return a <= b; }
};
struct Gt : Comparison {
  static constexpr OpInfo op = info("gt", "GtBackward0");
  template <class T> static bool holds(T a, T b) { return a > b; }
};
struct Ge : Comparison {
  static constexpr OpInfo op = info("ge", "GeBackward0");
  template <class T> static bool holds(T a, T b) { return a >= b; }
};

}  // namespace taper
