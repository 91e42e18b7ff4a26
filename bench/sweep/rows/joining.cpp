// Rows of the sweep: joining and splitting.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily joining_rows() {
  return {"joining",
          {
              OP(1, "x[r,c] y[r,c]", cat({x, y})).also("bf16"),
              OP(1, "x[r,c] y[r,c]", cat({x, y}, 1)),
              OP(1, "x[B,C,H,W] y[B,C,H,W]", cat({x, y}, 1)),
              OP(1, "x[r,c] y[r,c]", stack({x, y})),
              OP(1, "x[r,c] y[r,c]", stack({x, y}, -1)),
              OP(1, "x[r,c]", chunk(x, 4, 1)),
              OP(1, "x[r,c]", split(x, 32, 1)),
              OP(2, "x[r,c] y[r,c]", hstack({x, y})),
              OP(2, "x[r,c] y[r,c]", vstack({x, y})),
              OP(3, "x[r,c] y[r,c]", dstack({x, y})),
              OP(2, "x[r,c] y[r,c]", column_stack({x, y})),
              OP(2, "x[d,d] y[d,d]", block_diag({x, y})).python("block_diag(x, y)"),
              OP(2, "x[4,n/4]", unbind(x)),
              OP(2, "x[r,c]", tensor_split(x, 3, 1)),
              OP(1, "x[r] y[c]", meshgrid({x, y}, "ij")).python("meshgrid(x, y, indexing='ij')"),
              OP(3, "x[r] y[c]", cartesian_prod({x, y})).python("cartesian_prod(x, y)"),
              OP(3, "x[s]", combinations(x)),
          }};
}

}  // namespace taper::bench
