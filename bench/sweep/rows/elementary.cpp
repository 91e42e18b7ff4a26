// Rows of the sweep: exponentials, logarithms, trigonometric functions.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily elementary_rows() {
  return {"elementary",
          {
              OP(1, "x[n]", exp(x)).also("bf16"),
              OP(1, "x[n]=positive", log(x)).also("bf16"),
              OP(1, "x[n]=positive", sqrt(x)).also("bf16"),
              OP(1, "x[n]=positive", rsqrt(x)).also("bf16"),
              OP(1, "x[n]", sin(x)).also("bf16"),
              OP(1, "x[n]", cos(x)),
              OP(1, "x[n]", tanh(x)).also("bf16"),
              OP(1, "x[n]", sigmoid(x)).also("bf16"),
              OP(1, "x[n]@i64", exp(x)).only("i64"),
              OP(2, "x[n]", tan(x)),
              OP(2, "x[n]=unit", acos(x)),
              OP(2, "x[n]=unit", asin(x)),
              OP(2, "x[n]", atan(x)),
              OP(2, "x[n] y[n]=positive", atan2(x, y)),
              OP(2, "x[n]", cosh(x)),
              OP(2, "x[n]", sinh(x)),
              OP(2, "x[n]", erf(x)).also("bf16"),
              OP(2, "x[n]", erfc(x)),
              OP(2, "x[n]=unit", erfinv(x)),
              OP(2, "x[n]", exp2(x)),
              OP(2, "x[n]", expm1(x)),
              OP(2, "x[n]=positive", log10(x)),
              OP(2, "x[n]=positive", log1p(x)),
              OP(2, "x[n]=positive", log2(x)),
              OP(2, "x[n] y[n]", logaddexp(x, y)),
              OP(3, "x[n] y[n]", logaddexp2(x, y)),
              OP(2, "x[n]=uniform", logit(x, 1e-3)),
              OP(2, "x[n]=positive", digamma(x)),
              OP(2, "x[n]=positive", lgamma(x)),
              OP(2, "x[n] y[n]=positive", xlogy(x, y)),
              OP(3, "x[n]=positive", acosh(x + 1)),
              OP(3, "x[n]", asinh(x)),
              OP(3, "x[n]=unit", atanh(x)),
              OP(3, "x[n]", sinc(x)),
          }};
}

}  // namespace taper::bench
