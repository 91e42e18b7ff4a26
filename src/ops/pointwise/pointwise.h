// What element-by-element ops have in common.
#pragma once
#include <optional>

#include "ops/op.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"

namespace taper {

constexpr OpInfo pointwise(std::string_view name, std::string_view node, std::string_view inputs,
                           unsigned saved = 0, Promote promote = Promote::arithmetic) {
  OpInfo info{.name = name, .node = node, .inputs = inputs};
  info.saved = saved;
  info.promote = promote;
  info.layout = Layout::follow;
  info.broadcast = info.inplace = info.cpu = true;
  return info;
}
constexpr OpInfo out_of_place(OpInfo info) {
  info.inplace = false;
  return info;
}

/// Base of ops without attributes.
struct PointwiseOp {
  TAPER_ATTRIBUTES()
  void infer(Infer& i) const { i.give_pointwise(); }
};

/// "abs: not implemented for bool: got ..." unless `allowed`.
inline void check_dtype(Infer& i, bool allowed, const char* expected) {
  if (!allowed)
    i.fail<NotImplementedError>("not implemented for '{}': expected {}", i.common, expected);
}
/// The dtype of a tensor of dtype `t` next to a plain number.
inline DType with_number(DType t, const std::optional<Scalar>& number) {
  if (!number || is_floating_point(t)) return t;
  if (number->is_floating()) return default_dtype();
  return t == DType::bool_ ? number->dtype() : t;
}
/// The same arguments, computed in the dtype of the output: for ops whose numbers are attributes.
inline KernelArgs in_output_dtype(KernelArgs k) {
  k.compute = k.out[0].dtype;
  return k;
}
/// Gradient of an input that has no influence.
inline Tensor no_influence(const BackwardContextBase& b, int i) {
  const Meta& m = b.in_meta(i);
  return zeros(m.shape, {.dtype = m.dtype, .device = m.device});
}

namespace ops {
inline const Tensor& self_of(const PointwiseMethods* m) { return *static_cast<const Tensor*>(m); }
}  // namespace ops

/// Function, method and in-place method of an op of one tensor.
#define TAPER_UNARY_METHODS(name, O)                                                          \
  Tensor name(const Tensor& x) { return run(O{}, x); }                                        \
  namespace ops {                                                                             \
  Tensor PointwiseMethods::name() const { return run(O{}, self_of(this)); }                   \
  const Tensor& PointwiseMethods::name##_() const { return run_inplace(O{}, self_of(this)); } \
  }
/// The same for an op of a tensor and a T (Tensor or Scalar).
#define TAPER_BINARY_METHODS(name, O, T)                                                         \
  Tensor name(const Tensor& x, const T& other) { return run(O{}, x, other); }                    \
  namespace ops {                                                                                \
  Tensor PointwiseMethods::name(const T& other) const { return run(O{}, self_of(this), other); } \
  const Tensor& PointwiseMethods::name##_(const T& other) const {                                \
    return run_inplace(O{}, self_of(this), other);                                               \
  }                                                                                              \
  }

}  // namespace taper
