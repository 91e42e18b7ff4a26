#include "ops/pointwise/unary.h"

#include <numbers>

#include "ops/pointwise/activations.h"
#include "ops/pointwise/binary.h"
#include "ops/pointwise/value.h"

namespace taper {

void NegDtypes::dtype_error(const ShapeInference& i) {
  if (i.common != DType::bool_) i.reject_dtype(i.common);
  i.fail<NotImplementedError>(
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
      "a mask, use the `~` or `logical_not()` operator instead.");
}
void ReluDtypes::dtype_error(const ShapeInference& i) {
  if (i.common != DType::bool_) i.reject_dtype(i.common);
  i.fail<NotImplementedError>("Boolean inputs not supported for relu");
}

// Defines the names that a gradient may read.
#define TAPER_READ_none
#define TAPER_READ_x const Tensor& x = context.input<0>();
#define TAPER_READ_y const Tensor& y = context.output<0>();

#define TAPER_FORMS_methods(name, Type) TAPER_ALL_FORMS(Pointwise, name, (), Type{})
#define TAPER_FORMS_functions(name, Type) TAPER_FUNCTIONS(name, (), Type{})

#define UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...)               \
  void Type::backward(BackwardContext<Type>& context) const {                                  \
    [[maybe_unused]] const auto zeros = [&] { return zero_grad_for(context, 0); };             \
    [[maybe_unused]] const Tensor& g = context.grad();                                         \
    TAPER_READ_##saved context[0] = gradient;                                                  \
  }                                                                                            \
  template <> void reference_kernel(const Type&, const KernelArgs& k) { map_values<Type>(k); } \
  TAPER_DEFINE_OP(name, Type);                                                                 \
  TAPER_FORMS_##forms(name, Type)
#define PREDICATE(name, Type, ...)                                                             \
  template <> void reference_kernel(const Type&, const KernelArgs& k) { map_values<Type>(k); } \
  TAPER_DEFINE_OP(name, Type);                                                                 \
  TAPER_FUNCTION(name, (), Type{})                                                             \
  TAPER_METHOD(Pointwise, name, (), Type{})
#include "ops/pointwise/unary.inc"

Tensor operator-(const Tensor& a) { return run(Neg{}, a); }

}  // namespace taper
