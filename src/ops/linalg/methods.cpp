// Methods of tensors whose functions are declared in taper/ops/decomposition.h.
#include "ops/forms.h"
#include "taper/ops/decomposition.h"

namespace taper {

namespace ops {

Tensor LinalgMethods::det() const { return taper::det(self_of(this)); }
std::pair<Tensor, Tensor> LinalgMethods::slogdet() const { return taper::slogdet(self_of(this)); }
Tensor LinalgMethods::logdet() const { return taper::logdet(self_of(this)); }
Tensor LinalgMethods::inverse() const { return taper::inverse(self_of(this)); }
Tensor LinalgMethods::pinverse(double rcond) const { return taper::pinverse(self_of(this), rcond); }
Tensor LinalgMethods::trace() const { return taper::trace(self_of(this)); }
std::tuple<Tensor, Tensor, Tensor> LinalgMethods::svd(bool some, bool compute_uv) const {
  return taper::svd(self_of(this), some, compute_uv);
}

Tensor LinalgMethods::matrix_power(IntArg n) const { return taper::matrix_power(self_of(this), n); }
Tensor LinalgMethods::cholesky_inverse(bool upper) const {
  return taper::cholesky_inverse(self_of(this), upper);
}
Tensor LinalgMethods::cholesky_solve(const Tensor& factor, bool upper) const {
  return taper::cholesky_solve(self_of(this), factor, upper);
}
std::pair<Tensor, Tensor> LinalgMethods::geqrf() const { return taper::geqrf(self_of(this)); }
std::pair<Tensor, Tensor> LinalgMethods::lu(bool pivot) const {
  return taper::lu(self_of(this), pivot);
}
Tensor LinalgMethods::lu_solve(const Tensor& lu, const Tensor& pivots) const {
  return taper::lu_solve(self_of(this), lu, pivots);
}
Tensor LinalgMethods::orgqr(const Tensor& tau) const { return taper::orgqr(self_of(this), tau); }
Tensor LinalgMethods::ormqr(const Tensor& tau, const Tensor& other, bool left,
                            bool transpose) const {
  return taper::ormqr(self_of(this), tau, other, left, transpose);
}
std::pair<Tensor, Tensor> LinalgMethods::triangular_solve(const Tensor& a, bool upper,
                                                          bool transpose,
                                                          bool unitriangular) const {
  return taper::triangular_solve(self_of(this), a, upper, transpose, unitriangular);
}

}  // namespace ops

std::pair<Tensor, Tensor> lu(const Tensor& a, bool pivot) { return linalg::lu_factor(a, pivot); }
const Tensor& addmv_(const Tensor& input, const Tensor& mat, const Tensor& vec, const Scalar& beta,
                     const Scalar& alpha) {
  return input.addmv_(mat, vec, beta, alpha);
}

}  // namespace taper
