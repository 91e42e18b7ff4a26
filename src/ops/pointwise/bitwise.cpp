#include "ops/pointwise/bitwise.h"

#include "ops/pointwise/define_rows.h"
#include "ops/pointwise/plain_loops.h"
#include "ops/pointwise/unary.h"

namespace taper {

#define BINARY(...)  // division.cpu.cpp
#define PLAIN_BINARY(name, Type, ...) TAPER_VALUE_KERNEL(Type)
#include "ops/pointwise/bitwise.inc"

#define TAPER_FORMS_or_number(name, Type)                              \
  TAPER_ALL_FORMS(Bitwise, name, (const Tensor& other), Type{}, other) \
  TAPER_ALL_FORMS(Bitwise, name, (const Scalar& other), Type{}, other)
#define TAPER_FORMS_number_first(name, Type)                                               \
  TAPER_FORMS_or_number(name, Type) Tensor name(const Scalar& self, const Tensor& other) { \
    return run(Type{}, self, other);                                                       \
  }

#define BINARY TAPER_DEFINE_BINARY
#define PLAIN_BINARY TAPER_DEFINE_PLAIN_BINARY
#include "ops/pointwise/bitwise.inc"

template <> void reference_kernel(const BitwiseNot&, const KernelArgs& k) {
  if (k.compute == DType::bool_) return reference_kernel(LogicalNot{}, k);
  map_values<BitwiseNot>(k);
}
template <> bool cpu_kernel(const BitwiseNot& o, const KernelArgs& k) {
  return k.compute == DType::bool_ ? cpu_kernel(LogicalNot{}, k) : run_value_loop(o, k);
}
TAPER_DEFINE_OP(bitwise_not, BitwiseNot);
TAPER_ALL_FORMS(Bitwise, bitwise_not, (), BitwiseNot{})
Tensor operator~(const Tensor& a) { return run(BitwiseNot{}, a); }

#define TAPER_OPERATOR(sign, Type)                                                     \
  Tensor operator sign(const Tensor& a, const Tensor& b) { return run(Type{}, a, b); } \
  Tensor operator sign(const Tensor& a, const Scalar& b) { return run(Type{}, a, b); } \
  Tensor operator sign(const Scalar& a, const Tensor& b) { return run(Type{}, a, b); } \
  const Tensor& operator sign##=(const Tensor& a, const Tensor& b) {                   \
    return run_inplace(Type{}, a, b);                                                  \
  }                                                                                    \
  const Tensor& operator sign##=(const Tensor& a, const Scalar& b) {                   \
    return run_inplace(Type{}, a, b);                                                  \
  }
TAPER_OPERATOR(&, BitwiseAnd)
TAPER_OPERATOR(|, BitwiseOr)
TAPER_OPERATOR(^, BitwiseXor)
TAPER_OPERATOR(%, Remainder)
TAPER_OPERATOR(<<, BitwiseLeftShift)
TAPER_OPERATOR(>>, BitwiseRightShift)

}  // namespace taper
