#include "taper/ops/result_type.h"

#include "ops/promote.h"

namespace taper {

namespace {
DType result_of(OpInput a, OpInput b) {
  const OpInput operands[] = {a, b};
  return result_type(operands);
}
}  // namespace

DType result_type(const Tensor& a, const Tensor& b) { return result_of(a, b); }
DType result_type(const Tensor& a, const Scalar& b) { return result_of(a, b); }
DType result_type(const Scalar& a, const Tensor& b) { return result_of(a, b); }
DType result_type(const Scalar& a, const Scalar& b) { return result_of(a, b); }

}  // namespace taper
