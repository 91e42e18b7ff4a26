// Public forms of an op whose function and methods only run it.
//
//   TAPER_ALL_FORMS(Pointwise, lerp, (const Tensor& end, const Scalar& weight), Lerp{weight}, end)
//
// defines lerp(input, end, weight), x.lerp(end, weight) and x.lerp_(end, weight). The tensor is the
// first input of the op, and the expressions after the op are the others.
#pragma once
#include "ops/op.h"
#include "taper/core/tensor.h"

namespace taper::ops {
template <class Methods> const Tensor& self_of(const Methods* m) {
  return *static_cast<const Tensor*>(m);
}
}  // namespace taper::ops

#define TAPER_PREPEND_COMMA(...) __VA_OPT__(, ) __VA_ARGS__

/// Defines the function name(input, parameters).
#define TAPER_FUNCTION(name, parameters, op, ...)                   \
  Tensor name(const Tensor& input TAPER_PREPEND_COMMA parameters) { \
    return run(op, input __VA_OPT__(, ) __VA_ARGS__);               \
  }
/// Defines the in-place function name_(input, parameters).
#define TAPER_INPLACE_FUNCTION(name, parameters, op, ...)                     \
  const Tensor& name##_(const Tensor& input TAPER_PREPEND_COMMA parameters) { \
    return run_inplace(op, input __VA_OPT__(, ) __VA_ARGS__);                 \
  }
/// Defines the method x.name(parameters) of ops::FamilyMethods.
#define TAPER_METHOD(Family, name, parameters, op, ...)       \
  Tensor ops::Family##Methods::name parameters const {        \
    return run(op, self_of(this) __VA_OPT__(, ) __VA_ARGS__); \
  }
/// Defines the in-place method x.name_(parameters) of ops::FamilyMethods.
#define TAPER_INPLACE_METHOD(Family, name, parameters, op, ...)       \
  const Tensor& ops::Family##Methods::name##_ parameters const {      \
    return run_inplace(op, self_of(this) __VA_OPT__(, ) __VA_ARGS__); \
  }
#define TAPER_FUNCTIONS(...) TAPER_FUNCTION(__VA_ARGS__) TAPER_INPLACE_FUNCTION(__VA_ARGS__)
#define TAPER_METHODS(...) TAPER_METHOD(__VA_ARGS__) TAPER_INPLACE_METHOD(__VA_ARGS__)
#define TAPER_ALL_FORMS(Family, ...) TAPER_FUNCTION(__VA_ARGS__) TAPER_METHODS(Family, __VA_ARGS__)
