// Samples of inputs and attributes. Each sample drives all derived checks of an op (tests/ops) and
// a line of `./dev bench --ops`. Samples are defined in <family>/<op>.samples.cpp and compiled only
// into tests and benchmarks.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace taper {

/// Specification of an input, whose elements are uniform in [low, high). The dtype is the one under
/// test unless it is specified.
struct TensorSpec {
  Shape shape{};
  double low = -1, high = 1;
  std::optional<DType> dtype{};   ///< such as i64 for indices, which are not differentiated
  bool absent = false;            ///< omits an optional input
  double min_abs = 0;             ///< minimum distance from 0, for ops with a kink or pole there
  std::optional<int> num_true{};  ///< a mask with exactly this number of true elements
  bool constant = false;          ///< excludes the input from differentiation
  TensorSpec(Shape s) : shape(std::move(s)) {}
  TensorSpec(std::initializer_list<std::int64_t> s) : shape(s) {}
  TensorSpec(Shape s, double lo, double hi, std::optional<DType> type = {})
      : shape(std::move(s)), low(lo), high(hi), dtype(type) {}
  static TensorSpec mask(Shape s, int count) {
    TensorSpec d(std::move(s), 0, 1, DType::bool_);
    d.num_true = count;
    return d;
  }
  static TensorSpec none() {
    TensorSpec d{Shape{}};
    d.absent = true;
    return d;
  }
  TensorSpec with_min_abs(double value) const {
    TensorSpec d = *this;
    d.min_abs = value;
    return d;
  }
  TensorSpec as_constant() const {
    TensorSpec d = *this;
    d.constant = true;
    return d;
  }
};

/// Inputs and attributes of one call of an op.
struct SampleInput {
  std::vector<TensorSpec> ins;
  std::shared_ptr<const void> attributes;
  bool check_gradient =
      true;                ///< gradients can be compared with finite differences (no ties or steps)
  bool strided_ok = true;  ///< false: the result depends on strides (view, as_strided)
  DTypeSet dtypes = DTypeSet::every;  ///< supported dtypes that the attributes allow
};

/// Returns a sample of op O with the given inputs and attributes, such as
/// sample<Add>({{2, 3}, {3}}, {.alpha = -2}).
template <class O> SampleInput sample(std::vector<TensorSpec> ins, O attributes = {}) {
  return {std::move(ins), std::make_shared<const O>(std::move(attributes))};
}

/// Marks a sample whose outputs are too coarse or have steps: gradients are not compared with
/// finite differences.
inline SampleInput skip_gradient_check(SampleInput r) {
  r.check_gradient = false;
  return r;
}

/// Restricts a sample to the dtypes that its attributes allow. The op must reject all others.
inline SampleInput only_for(DTypeSet dtypes, SampleInput r) {
  r.dtypes = dtypes;
  return r;
}

/// Restricts a sample to row-major inputs, for an op whose result depends on the strides of its
/// input (view, as_strided).
inline SampleInput contiguous_only(SampleInput r) {
  r.strided_ok = false;
  return r;
}

/// Defines the samples of an op, once per op in <op>.samples.cpp. A missing definition is a link
/// error of the test binary.
#define TAPER_DEFINE_SAMPLES(name)           \
  std::vector<SampleInput> samples_##name(); \
  std::vector<SampleInput> samples_##name()

}  // namespace taper
