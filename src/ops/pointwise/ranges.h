// Samples of pointwise ops, drawn from ranges of values.
#pragma once
#include "ops/samples.h"

namespace taper {

/// Range of the elements of an input: [low, high), with absolute values of at least `min_abs`.
struct Range {
  double low, high, min_abs = 0;
  bool smooth = true;  ///< the op is differentiable: gradients are compared with finite differences
  std::optional<DType> dtype{};
  bool constant = false;  ///< excludes the input from differentiation

  TensorSpec draw(const Shape& s) const {
    TensorSpec spec = TensorSpec(s, low, high, dtype).with_min_abs(min_abs);
    spec.constant = constant;
    return spec;
  }
};
inline Range smooth(double low, double high, double min_abs = 0) { return {low, high, min_abs}; }
inline Range nonsmooth(double low, double high, double min_abs = 0) {
  return {low, high, min_abs, false};
}
inline Range fixed(double low, double high) { return {low, high, 0, true, {}, true}; }
inline Range bools() { return {-1, 1, 0, false, DType::bool_}; }

/// Returns samples of a unary op: several shapes for each range.
template <class O> std::vector<SampleInput> unary_samples(std::initializer_list<Range> ranges,
                                                          const O& attributes = {}) {
  std::vector<SampleInput> samples;
  for (const Range& x : ranges)
    for (const Shape& s : {Shape{2, 3}, Shape{}, Shape{0, 2}, Shape{131}, Shape{2, 3, 4, 5}}) {
      samples.push_back(sample<O>({x.draw(s)}, attributes));
      samples.back().check_gradient = x.smooth;
    }
  return samples;
}

/// Returns samples of a binary op: several pairs of shapes for each pair of ranges.
template <class O> std::vector<SampleInput> binary_samples(std::initializer_list<Range> pairs,
                                                           const O& attributes = {}) {
  std::vector<SampleInput> samples;
  for (const Range* a = pairs.begin(); a < pairs.end(); a += 2)
    for (const auto& [s, t] : {std::pair{Shape{2, 3}, Shape{2, 3}},
                               {{2, 3}, {3}},
                               {{2, 1}, {1, 3}},
                               {{0, 3}, {3}},
                               {{131}, {131}},
                               {{13, 131}, {131}},
                               {{2, 3, 4, 5}, {2, 3, 4, 5}},
                               {{2, 3, 4, 5}, {}}}) {
      samples.push_back(sample<O>({a[0].draw(s), a[1].draw(t)}, attributes));
      samples.back().check_gradient = a[0].smooth && a[1].smooth;
      // Promotion of uint16, uint32 or uint64 with the fixed dtype of another input is an error,
      // unless that input is zero-dimensional.
      if ((a[0].dtype || a[1].dtype) && t.size() > 0) samples.back().dtypes = DTypeSet::all;
    }
  return samples;
}

}  // namespace taper
