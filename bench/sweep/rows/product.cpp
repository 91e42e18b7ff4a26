// Rows of the sweep: products.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily product_rows() {
  return {
      "product",
      {
          OP(1, "x[s,s] y[s,s]", mm(x, y)).also("bf16"),
          OP(1, "x[s,s] y[s,s]", matmul(x.t(), y)),
          OP(1, "x[8,s/2,s/4] y[8,s/4,s/2]", bmm(x, y)),
          OP(1, "x[n] y[n]", dot(x, y)),
          OP(1, "x[r,c] y[c]", matmul(x, y)),
          OP(2, "x[r,c] y[c]", mv(x, y)),
          OP(2, "x[r] y[c]", outer(x, y)),
          OP(2, "z[s] x[s,s] y[s,s]", addmm(z, x, y)),
          OP(2, "z[r] x[r,c] y[c]", addmv(z, x, y)),
          OP(2, "z[8,s/2,s/2] x[8,s/2,s/4] y[8,s/4,s/2]", baddbmm(z, x, y)),
          OP(1, "x[r,c] w[s,c] b[s]", F::linear(x, w, b)).sizes(2),
          OP(1, "x[s,2*s] w[s,2*s] b[s]", F::linear(x, w, b)).also("bf16"),
          OP(1, "x[4,4,s,16] y[4,4,s,16]", einsum("bhid,bhjd->bhij", {x, y}))
              .python("einsum('bhid,bhjd->bhij', x, y)"),
          OP(1, "x[s,s] y[s,s]", einsum("ij,jk->ik", {x, y})).python("einsum('ij,jk->ik', x, y)"),
          OP(2, "x[r,c] y[r,c]", einsum("ij,ij->i", {x, y})).python("einsum('ij,ij->i', x, y)"),
          OP(2, "x[s,8,8] y[8,8,s]", tensordot(x, y)),
          OP(2, "x[d,d] y[4,4]", kron(x, y)),
          OP(2, "x[r,c,3] y[r,c,3]", cross(x, y, -1)).sizes(2),
          OP(2, "x[s,s]", trace(x)),
          OP(2, "x[r,c] y[r,c]", linalg::vecdot(x, y)),
          OP(2, "x[s,32] y[s,32] w[16,32,32] b[16]", F::bilinear(x, y, w, b)),
          OP(3, "x[s,s] y[s] z[s]", addr(x, y, z)),
          OP(3, "x[s/2,s/2] y[8,s/2,s/4] z[8,s/4,s/2]", addbmm(x, y, z)),
          OP(3, "x[s,s] y[s,32] z[32,s]", linalg::multi_dot({x, y, z})),
          OP(3, "x[d,d]", linalg::matrix_power(x, 3)),
          OP(3, "x[d,d]=dominant", linalg::matrix_exp(x)),
      }};
}

}  // namespace taper::bench
