// Rows of the sweep: indexing, gathering and scattering.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily indexing_rows() {
  return {"indexing",
          {
              OP(1, "x[v,c] i[r]=index:v", F::embedding(i, x)).also("bf16"),
              OP(3, "x[v,c]~ i[r]=index:v", F::embedding(i, x, {.max_norm = 30})),
              OP(1, "i[r]=index:c", F::one_hot(i, c)),
              OP(1, "x[r,c] i[r,c]=index:r", gather(x, 0, i)).also("i64"),
              OP(1, "x[r,c] i[r,c]=index:c", gather(x, 1, i)),
              OP(1, "x[r,c] i[r,8]=index:c", gather(x, 1, i)),
              OP(1, "x[v,c] i[r]=index:v", index_select(x, 0, i)),
              OP(2, "x[r,c] i[c]=index:c", index_select(x, 1, i)),
              OP(1, "x[v,c] i[r]=index:v", x.index({i})).python("x[i]"),
              OP(1, "x[r,c] i[n]=index:r j[n]=index:c", x.index({i, j})).python("x[i, j]"),
              OP(1, "x[n] m[n]@bool", x.index({m})).python("x[m]"),
              OP(1, "x[n] m[n]@bool", masked_select(x, m)).also("i64"),
              OP(1, "x[r,c] m[r,c]@bool", masked_fill(x, m, 0.5)).also("bf16"),
              OP(1, "x[r,c] m[c]@bool", masked_fill(x, m, 0.5)),
              OP(2, "x[r,c] m[r,c]@bool y[]", masked_fill(x, m, y)),
              OP(1, "m[r,c]@bool", nonzero(m)),
              OP(1, "x[r,c] i[r,c]=index:c y[r,c]", scatter(x, 1, i, y)).any_value(),
              OP(1, "x[r,c] i[r,c]=index:c", scatter(x, 1, i, 0.5)),
              OP(1, "x[r,c] i[r,c]=index:c y[r,c]", scatter_add(x, 1, i, y)),
              OP(1, "x[r,c] i[r,c]=index:r y[r,c]", scatter_add(x, 0, i, y)),
              OP(1, "x[n]", tril(x.view({r, c}))),
              OP(1, "x[r,c]", triu(x, 1)),
              OP(2, "x[r,c] i[r,c]=index:c y[r,c]", scatter_reduce(x, 1, i, y, "amax")),
              OP(2, "x[v,c] i[r]=index:v y[r,c]", index_add(x, 0, i, y)),
              OP(2, "x[r,c] i[r]=order y[r,c]", index_copy(x, 0, i, y)),
              OP(2, "x[r,c] i[v/8]=index:r", index_fill(x, 0, i, 0.5)),
              OP(3, "x[r,c] i[v/8]=index:r y[]", index_fill(x, 0, i, y)),
              OP(2, "x[v,c] i[r]=index:v y[r,c]", index_put(x, {i}, y)).any_value(),
              OP(2, "x[v,c] i[r]=index:v y[r,c]", index_put(x, {i}, y, true)),
              OP(2, "x[n] m[n]@bool y[n]", masked_scatter(x, m, y)),
              OP(2, "x[n] i[n]=index:n", take(x, i)),
              OP(2, "x[r,c] i[r,c]=index:c", take_along_dim(x, i, 1)),
              OP(3, "x[n] i[n]=order y[n]", put(x, i, y)).python("x.put(i, y)"),
              OP(3, "x[v,c] i[r]=index:v y[r,c]", index_reduce(x, 0, i, y, "amax")),
              OP(3, "x[s,s] y[s]", diagonal_scatter(x, y)),
              OP(3, "x[r,c] y[c]", select_scatter(x, y, 0, 1)),
              OP(3, "x[r,c] y[4,c]", slice_scatter(x, y, 0, 1, 5)),
              OP(2, "x[v,c] i[r]=index:v j[r/4]=index:1", F::embedding_bag(i.view({-1, 2}), x)),
              OP(3, "m[r,c]@bool", nonzero_static(m, r)).python("nonzero_static(m, size=r)"),
              OP(3, "i[n]=index:n", unravel_index(i, {r, c})),
          }};
}

}  // namespace taper::bench
