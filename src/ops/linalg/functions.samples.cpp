#include "ops/linalg/householder.h"
#include "ops/linalg/ldl.h"
#include "ops/linalg/matrix_exp.h"
#include "ops/linalg/solve.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(linalg_matrix_exp) {
  return {sample<MatrixExp>({{3, 3}}), sample<MatrixExp>({TensorSpec({2, 2, 2}, -4, 4)}),
          sample<MatrixExp>({{0, 0}})};
}
TAPER_DEFINE_SAMPLES(linalg_ldl_factor_ex) {
  return {sample<LdlFactorEx>({{4, 4}}), sample<LdlFactorEx>({{2, 3, 3}}, {.hermitian = true}),
          sample<LdlFactorEx>({{2, 0, 0}})};
}
// A pivot below 0 occurs twice, at both rows of its block.
TAPER_DEFINE_SAMPLES(linalg_ldl_solve) {
  return {
      sample<LdlSolve>(
          {TensorSpec({3, 3}, 0.5, 2).as_constant(), TensorSpec({3}, 1, 4, DType::i32), {3, 2}}),
      sample<LdlSolve>({TensorSpec({2, 2, 2}, 2, 3).as_constant(),
                        TensorSpec({2, 2}, -2, -1.5, DType::i64),
                        {2, 2, 3}})};
}
TAPER_DEFINE_SAMPLES(linalg_solve) {
  return {sample<Solve>({{3, 3}, {3, 2}}), sample<Solve>({{2, 2, 2}, {2, 2, 3}})};
}
TAPER_DEFINE_SAMPLES(geqrf) {
  return {skip_gradient_check(sample<Geqrf>({{4, 3}})),
          skip_gradient_check(sample<Geqrf>({{2, 2, 4}}))};
}
TAPER_DEFINE_SAMPLES(linalg_householder_product) {
  return {sample<HouseholderProduct>({{4, 3}, {3}}),
          sample<HouseholderProduct>({{2, 3, 3}, {2, 3}}),
          sample<HouseholderProduct>({{4, 3}, {2}})};
}

}  // namespace taper
