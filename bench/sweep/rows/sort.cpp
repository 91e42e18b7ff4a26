// Rows of the sweep: sorting and searching.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily sort_rows() {
  return {
      "sort",
      {
          OP(1, "x[n]", sort(x)).also("bf16 i64"),
          OP(1, "x[r,c]", sort(x, -1)),
          OP(1, "x[r,c]", sort(x, 0)),
          OP(1, "x[n]", argsort(x)).any_value(),
          OP(1, "x[n]", topk(x, 100)).also("i64").any_value(),
          OP(1, "x[r,c]", topk(x, 5)),
          OP(1, "x[n]", unique(x)).no_grad(),
          OP(1, "i[n]=index:v", unique(i)),
          OP(1, "i[n]=index:v", unique(i, true, true, true)),
          OP(3, "x[r,4]", unique(x, true, false, false, 0)).python("unique(x, dim=0)").no_grad(),
          OP(2, "x[n]", unique_consecutive(x)).no_grad(),
          OP(2, "x[r,c]", kthvalue(x, 9)),
          OP(3, "x[r,c]", msort(x)),
          OP(2, "x[v]=sorted~ y[n]=uniform~", searchsorted(x, y)),
          OP(2, "x[v]=sorted~ y[n]=uniform~", bucketize(y, x)),
          OP(2, "i[n]=index:v j[1000]=index:v", isin(i, j)),
          OP(2, "m[r,c]@bool", argwhere(m)),
      }};
}

}  // namespace taper::bench
