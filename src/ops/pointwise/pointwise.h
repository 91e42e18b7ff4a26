// Declarations shared by elementwise ops.
#pragma once
#include <optional>

#include "ops/forms.h"
#include "ops/op.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"

namespace taper {

constexpr OpInfo pointwise(std::string_view name, std::string_view node, std::string_view inputs,
                           DTypeSet dtypes, unsigned saved = 0,
                           TypePromotion promote = TypePromotion::standard) {
  OpInfo info{.name = name, .node = node, .inputs = inputs, .dtypes = dtypes};
  info.saved = saved;
  info.promote = promote;
  info.layout = OutputLayout::propagate;
  info.broadcast = info.inplace = info.has_cpu_kernel = true;
  return info;
}
constexpr OpInfo out_of_place(OpInfo info) {
  info.inplace = false;
  return info;
}
constexpr OpInfo with_dtype_error(OpInfo info, void (*dtype_error)(const ShapeInference&)) {
  info.dtype_error = dtype_error;
  return info;
}

constexpr OpInfo with_condition(OpInfo info) {
  info.conditions = 1;
  return info;
}

/// Unsigned dtypes that are supported by ops that order elements. uint64 is not included, because
/// integer kernels compute in int64, which orders values of 2^63 and above differently.
inline constexpr DTypeSet kOrderedUnsigned{DType::u16, DType::u32};

/// Returns g * value without an op if `value` is 1.
inline Tensor scale_gradient(const Tensor& g, const Scalar& value) {
  return value == Scalar(1) ? g : g.mul(value);
}

/// Base of ops without attributes.
struct PointwiseOp {
  TAPER_ATTRIBUTES()
  static constexpr DTypeSet supported = DTypeSet::all;
  static constexpr void (*dtype_error)(const ShapeInference&) = nullptr;
  static constexpr bool floats = true;
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
};

// Rules for dtypes, as bases of ops without attributes: the supported dtypes, the dtype to compute
// in, and whether it may be an integer or bool, or a floating-point type.

struct AnyDtype : PointwiseOp {
  static constexpr TypePromotion promote = TypePromotion::standard;
  static constexpr bool integers = true;
};
struct NoBool : AnyDtype {
  static constexpr DTypeSet supported = DTypeSet::no_bool;
};
struct IntegerOnly : AnyDtype {
  static constexpr DTypeSet supported = DTypeSet::integral;
  static constexpr bool floats = false;
};
struct IntegerOrBool : IntegerOnly {
  static constexpr DTypeSet supported =
      DTypeSet::integral | DTypeSet{DType::bool_} | DTypeSet::barebones_unsigned;
};
struct FloatOnly : AnyDtype {
  static constexpr DTypeSet supported = DTypeSet::floating;
  static constexpr bool integers = false;
};
/// Extends a rule by uint16, uint32 and uint64.
template <class Rule> struct Unsigned : Rule {
  static constexpr DTypeSet supported = Rule::supported | DTypeSet::barebones_unsigned;
};
/// Extends a rule by kOrderedUnsigned.
template <class Rule> struct NarrowUnsigned : Rule {
  static constexpr DTypeSet supported = Rule::supported | kOrderedUnsigned;
};
/// Rule that converts integers and bools to the default dtype.
struct ToFloat : PointwiseOp {
  static constexpr DTypeSet supported = DTypeSet::every;
  static constexpr TypePromotion promote = TypePromotion::int_to_float;
  static constexpr bool integers = false;
};
/// Extends a rule for ops whose value depends on rounding in float: the reference kernel computes
/// in float unless the dtype is float64.
template <class Rule> struct InFloat : Rule { static constexpr bool kInFloat = true; };
struct ToBool : PointwiseOp {
  static constexpr TypePromotion promote = TypePromotion::comparison;
  static constexpr bool integers = true;
};

/// Returns the result dtype of a tensor of dtype `t` and a number.
inline DType promote_with_number(DType t, const std::optional<Scalar>& number) {
  if (!number || is_floating_point(t)) return t;
  if (number->is_floating()) return default_dtype();
  return t == DType::bool_ ? number->dtype() : t;
}
/// Returns the same arguments, computed in the dtype of the output: for ops whose numbers are
/// attributes.
inline KernelArgs in_output_dtype(KernelArgs k) {
  k.compute = k.out[0].dtype;
  return k;
}
/// Returns a zero gradient for input i.
inline Tensor zero_grad_for(const BackwardContextBase& b, int i) {
  const TensorMeta& m = b.input_meta(i);
  return zeros(m.shape, {.dtype = m.dtype, .device = m.device});
}

}  // namespace taper
