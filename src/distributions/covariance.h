// Covariance matrices and their factors.
#pragma once
#include "distributions/shapes.h"
#include "taper/distributions/multivariate.h"
#include "taper/ops/decomposition.h"

namespace taper::distributions {

/// A covariance matrix, precision matrix or Cholesky factor.
struct NamedMatrix {
  const char* name;
  Tensor value;
  Constraint constraint() const;
};
/// Returns the matrix that is given. Throws ValueError unless exactly one is, or if it is not
/// square.
NamedMatrix matrix_of(const CovarianceOptions& options);
/// Returns the lower Cholesky factor of the covariance matrix of a named matrix.
Tensor scale_tril_of(const DistributionParameter& given);
Tensor precision_to_scale_tril(const Tensor& precision);
/// Calls set(name, constraint, position) for the two names that are not given, in the order of
/// PyTorch, where the first of the three is at `position`.
template <class F>
void set_covariance_alternatives(const NamedMatrix& given, F set, std::size_t position) {
  for (const char* name : {"covariance_matrix", "precision_matrix", "scale_tril"}) {
    if (std::string_view(name) != given.name)
      set(name, NamedMatrix{name, {}}.constraint(), position);
    ++position;
  }
}

/// Returns half of the logarithm of the determinant of L L^T.
Tensor half_log_det(const Tensor& scale_tril);
/// Returns x^T (L L^T)^-1 x for vectors x `(..., N)` and factors L `(..., N, N)`, with
/// broadcasting.
Tensor mahalanobis(const Tensor& scale_tril, const Tensor& x);
/// Throws ValueError unless `loc` is a batch of vectors of `n` elements.
void check_event(const char* name, const Tensor& loc, std::int64_t n);

}  // namespace taper::distributions
