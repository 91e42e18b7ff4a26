// Rows of the sweep: comparisons, logic, bits.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily comparison_rows() {
  return {"comparison",
          {
              OP(1, "x[n] y[n]", eq(x, y)).also("bf16 i64 bool"),
              OP(1, "x[n]", gt(x, 0)).also("bf16 i64"),
              OP(1, "x[n] y[n]", ge(x, y)),
              OP(1, "x[n] y[n]", lt(x, y)).also("i64"),
              OP(1, "x[n] y[n]", le(x, y)),
              OP(1, "x[n] y[n]", ne(x, y)),
              OP(1, "x[n] y[n]", logical_and(x, y)).only("bool f32"),
              OP(1, "x[n] y[n]", logical_or(x, y)).only("bool"),
              OP(2, "x[n] y[n]", logical_xor(x, y)).only("bool"),
              OP(1, "x[n]", logical_not(x)).only("bool f32"),
              OP(1, "x[n]=nan", isnan(x)).also("bf16"),
              OP(1, "x[n]=nan", isinf(x)),
              OP(2, "x[n]=nan", isfinite(x)),
              OP(3, "x[n]=nan", isneginf(x)),
              OP(3, "x[n]=nan", isposinf(x)),
              OP(3, "x[n]", isreal(x)),
              OP(2, "x[n] y[n]", isclose(x, y)),
              OP(1, "x[n] y[n]", allclose(x, x + 0)),
              OP(1, "x[n]", equal(x, x + 0)).also("i64"),
              OP(1, "x[n] y[n]", bitwise_and(x, y)).only("i64 bool"),
              OP(1, "x[n] y[n]", bitwise_or(x, y)).only("i64 bool"),
              OP(1, "x[n]", bitwise_not(x)).only("i64 bool"),
              OP(2, "x[n] y[n]", bitwise_xor(x, y)).only("i64 bool"),
              OP(3, "x[n] y[n]=positive", bitwise_left_shift(x, y)).only("i64"),
              OP(3, "x[n] y[n]=positive", bitwise_right_shift(x, y)).only("i64"),
          }};
}

}  // namespace taper::bench
