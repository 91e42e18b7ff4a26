#include "ops/pointwise/unary.h"

#include <numbers>

#include "ops/pointwise/activations.h"
#include "ops/pointwise/binary.h"
#include "ops/pointwise/define_rows.h"
#include "ops/pointwise/functions.h"

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

#define TAPER_FORMS_methods(name, Type) TAPER_ALL_FORMS(Pointwise, name, (), Type{})
#define TAPER_FORMS_functions(name, Type) TAPER_FUNCTIONS(name, (), Type{})
#define TAPER_FORMS_predicate(name, Type) \
  TAPER_FUNCTION(name, (), Type{}) TAPER_METHOD(Pointwise, name, (), Type{})

#define UNARY TAPER_DEFINE_UNARY
#define PREDICATE TAPER_DEFINE_PREDICATE
#include "ops/pointwise/unary.inc"

Tensor operator-(const Tensor& a) { return run(Neg{}, a); }

}  // namespace taper
