// Rows of the sweep: scans and differences.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily scan_rows() {
  return {"scan",
          {
              OP(1, "x[n]", cumsum(x, 0)).also("bf16 i64"),
              OP(1, "x[r,c]", cumsum(x, -1)),
              OP(1, "x[r,c]", cumsum(x, 0)),
              OP(1, "x[r,c]=positive", cumprod(x, -1)).any_value(),
              OP(2, "x[r,c]", cummax(x, -1)).also("i64"),
              OP(2, "x[r,c]", cummin(x, 0)),
              OP(2, "x[r,c]", logcumsumexp(x, -1)),
              OP(2, "x[r,c]", diff(x)),
              OP(3, "x[r,c]", trapezoid(x)),
              OP(3, "x[r,c]", cumulative_trapezoid(x)),
              OP(3, "x[r,c]", gradient(x)).no_grad(),
          }};
}

}  // namespace taper::bench
