#pragma once
#include "ops/pointwise/compare.h"

namespace taper {

/// Numbers count as true where they are not 0.
struct LogicalAnd : Comparison {
  static constexpr OpInfo op = info("logical_and", "LogicalAndBackward0");
  template <class T> static bool holds(T a, T b) { return (a != T(0)) & (b != T(0)); }
};
struct LogicalOr : Comparison {
  static constexpr OpInfo op = info("logical_or", "LogicalOrBackward0");
  template <class T> static bool holds(T a, T b) { return (a != T(0)) | (b != T(0)); }
};
struct LogicalXor : Comparison {
  static constexpr OpInfo op = info("logical_xor", "LogicalXorBackward0");
  template <class T> static bool holds(T a, T b) { return (a != T(0)) != (b != T(0)); }
};

/// Yes or no about each element.
struct Question : PointwiseOp {
  static constexpr OpInfo info(std::string_view name, std::string_view node = {}) {
    return pointwise(name, node, "input", 0, Promote::comparison);
  }
};
struct LogicalNot : Question {
  static constexpr OpInfo op = info("logical_not", "LogicalNotBackward0");
  template <class T> static bool holds(T x) { return x == T(0); }
  void backward(BackwardContext<LogicalNot>& b) const { b[0] = no_influence(b, 0); }
};
struct IsNan : Question {
  static constexpr OpInfo op = out_of_place(info("isnan"));
  template <class T> static bool holds(T x) { return x != x; }
};
struct IsInf : Question {
  static constexpr OpInfo op = out_of_place(info("isinf"));
  template <class T> static bool holds(T x) { return (x == x) & (x - x != x - x); }
};
struct IsFinite : Question {
  static constexpr OpInfo op = out_of_place(info("isfinite"));
  template <class T> static bool holds(T x) { return x - x == x - x; }
};

}  // namespace taper
