#include "ops/linalg/householder.h"
#include "ops/linalg/matrix_exp.h"
#include "ops/linalg/solve.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(linalg_matrix_exp) {
  return {row<MatrixExp>({{3, 3}}), row<MatrixExp>({Draw({2, 2, 2}, -4, 4)}),
          row<MatrixExp>({{0, 0}})};
}
TAPER_DEFINE_ROWS(linalg_solve) {
  return {row<Solve>({{3, 3}, {3, 2}}), row<Solve>({{2, 2, 2}, {2, 2, 3}})};
}
TAPER_DEFINE_ROWS(geqrf) { return {coarse(row<Geqrf>({{4, 3}})), coarse(row<Geqrf>({{2, 2, 4}}))}; }
TAPER_DEFINE_ROWS(linalg_householder_product) {
  return {row<HouseholderProduct>({{4, 3}, {3}}), row<HouseholderProduct>({{2, 3, 3}, {2, 3}}),
          row<HouseholderProduct>({{4, 3}, {2}})};
}

}  // namespace taper
