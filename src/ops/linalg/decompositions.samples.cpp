#include "ops/linalg/decompositions.h"
#include "ops/samples.h"

namespace taper {

// The gradients of ops that read one triangle of a symmetric matrix are those of a symmetric
// change, which only matrices of one element allow. tests/linalg checks larger ones.
TAPER_DEFINE_SAMPLES(linalg_cholesky_ex) {
  return {sample<CholeskyEx>({TensorSpec({2, 1, 1}, 0.5, 2)}),
          sample<CholeskyEx>({TensorSpec({1, 1}, 0.5, 2)}, {.upper = true}),
          sample<CholeskyEx>({{2, 0, 0}})};
}
TAPER_DEFINE_SAMPLES(linalg_lu_factor_ex) {
  return {sample<LuFactorEx>({{3, 3}}), sample<LuFactorEx>({{2, 4, 2}}),
          sample<LuFactorEx>({{2, 3, 4}}), sample<LuFactorEx>({{0, 3, 3}})};
}
TAPER_DEFINE_SAMPLES(linalg_inv_ex) {
  return {sample<InvEx>({{3, 3}}), sample<InvEx>({{2, 2, 2}}), sample<InvEx>({{0, 0}})};
}
TAPER_DEFINE_SAMPLES(linalg_det) {
  return {sample<Det>({{3, 3}}), sample<Det>({{2, 2, 2}}), sample<Det>({{2, 0, 0}})};
}
TAPER_DEFINE_SAMPLES(linalg_slogdet) {
  return {sample<Slogdet>({{3, 3}}), sample<Slogdet>({{2, 2, 2}}), sample<Slogdet>({{2, 0, 0}})};
}
TAPER_DEFINE_SAMPLES(linalg_solve_triangular) {
  return {sample<SolveTriangular>({TensorSpec({3, 3}, 0.5, 2), {3, 2}}),
          sample<SolveTriangular>({TensorSpec({2, 2, 2}, 0.5, 2), {2, 3, 2}},
                                  {.upper = true, .left = false}),
          sample<SolveTriangular>({{3, 3}, {3, 2}}, {.unitriangular = true})};
}
// Forms without a gradient (mode "r", no vectors) are checked in tests/linalg.
TAPER_DEFINE_SAMPLES(linalg_qr) {
  return {sample<Qr>({{4, 3}}), sample<Qr>({{2, 2, 3}}),
          sample<Qr>({{2, 2}}, {.mode = "complete"})};
}
TAPER_DEFINE_SAMPLES(linalg_svd) {
  return {sample<Svd>({{3, 3}}), sample<Svd>({{2, 4, 2}}), sample<Svd>({{2, 3}}),
          skip_gradient_check(sample<Svd>({{2, 3}}, {.full_matrices = true}))};
}
TAPER_DEFINE_SAMPLES(linalg_eigh) {
  return {sample<Eigh>({{2, 1, 1}}), skip_gradient_check(sample<Eigh>({{3, 3}}, {.UPLO = "U"}))};
}
TAPER_DEFINE_SAMPLES(linalg_pinv) {
  const TensorSpec one = TensorSpec(Shape(), 1e-12, 1e-11).as_constant(),
                   two = TensorSpec({2}, 1e-12, 1e-11).as_constant();
  return {sample<Pinv>({{3, 2}, one, one}), sample<Pinv>({{2, 2, 3}, two, two}),
          sample<Pinv>({{2, 1, 1}, two, two}, {.hermitian = true})};
}
TAPER_DEFINE_SAMPLES(linalg_lstsq) {
  return {sample<Lstsq>({{4, 2}, {4, 3}}, {.driver = "gels"}),
          sample<Lstsq>({{2, 2, 3}, {2, 2, 1}}),
          sample<Lstsq>({{3, 3}, {3, 1}}, {.driver = "gelsd"})};
}

}  // namespace taper
