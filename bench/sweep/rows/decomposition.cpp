// Rows of the sweep: decompositions of matrices of up to 256 rows.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily decomposition_rows() {
  return {"decomposition",
          {
              OP(2, "x[d,d]=spd", linalg::cholesky(x)),
              OP(2, "x[d,d]=dominant", linalg::det(x)),
              OP(2, "x[d,d]=dominant", linalg::slogdet(x)),
              OP(2, "x[d,d]=dominant", linalg::inv(x)),
              OP(2, "x[d,d]", linalg::qr(x)),
              OP(2, "x[d,d]", linalg::svd(x)).any_value(),
              OP(2, "x[d,d]=spd", linalg::eigh(x)).any_value(),
              OP(2, "x[d,d]=dominant y[d,8]", linalg::solve(x, y)),
              OP(2, "x[d,d]=dominant y[d,8]", linalg::solve_triangular(x, y, true))
                  .python("linalg.solve_triangular(x, y, upper=True)"),
              OP(2, "x[2*d,d] y[2*d,8]", linalg::lstsq(x, y)).any_value(),
              OP(2, "x[d,d]", linalg::pinv(x)),
              OP(3, "x[d,d]=dominant", linalg::lu_factor(x)).any_value(),
              OP(3, "x[d,d]=dominant", linalg::lu(x)),
              OP(3, "x[d,d]", geqrf(x)).no_grad(),
              OP(3, "x[d,d] y[d]", linalg::householder_product(x, y)).any_value(),
              OP(3, "x[d,d]=spd", linalg::eigvalsh(x)),
              OP(3, "x[d,d]", linalg::svdvals(x)),
              OP(3, "x[d,d]", linalg::matrix_rank(x)).no_grad(),
          }};
}

}  // namespace taper::bench
