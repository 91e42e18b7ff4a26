// Special functions of mathematics. PyTorch: torch.special.
//
// Integers are converted to default_dtype(). Functions that are documented as without a gradient
// return tensors that do not require gradients.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/not_bool.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace special {

/// Returns the Airy function Ai. Has no gradient. PyTorch: torch.special.airy_ai.
Tensor airy_ai(const Tensor& input);
/// Return the Bessel functions of the first kind of order 0 and 1. PyTorch:
/// torch.special.bessel_j0, torch.special.bessel_j1.
Tensor bessel_j0(const Tensor& input);
Tensor bessel_j1(const Tensor& input);
/// Return the Bessel functions of the second kind of order 0 and 1; -infinity at 0, NaN for
/// negative numbers. PyTorch: torch.special.bessel_y0, torch.special.bessel_y1.
Tensor bessel_y0(const Tensor& input);
Tensor bessel_y1(const Tensor& input);
/// Returns -input * log(input); 0 at 0, -infinity for negative numbers. PyTorch:
/// torch.special.entr.
Tensor entr(const Tensor& input);
/// Returns e^(input^2) * erfc(input). PyTorch: torch.special.erfcx.
Tensor erfcx(const Tensor& input);
/// Return modified Bessel functions of the first kind: i1 of order 1, i0e and i1e scaled by
/// e^-|input|. PyTorch: torch.special.i0e, torch.special.i1, torch.special.i1e.
Tensor i0e(const Tensor& input);
Tensor i1(const Tensor& input);
Tensor i1e(const Tensor& input);
/// Return the distribution function of the standard normal distribution (ndtr), its logarithm and
/// its inverse. PyTorch: torch.special.log_ndtr, torch.special.ndtr, torch.special.ndtri.
Tensor log_ndtr(const Tensor& input);
Tensor ndtr(const Tensor& input);
Tensor ndtri(const Tensor& input);
/// Return the modified Bessel functions of the first (I) and second (K) kind of order 0 and 1. Have
/// no gradient. PyTorch: torch.special.modified_bessel_i0, torch.special.modified_bessel_i1,
/// torch.special.modified_bessel_k0, torch.special.modified_bessel_k1.
Tensor modified_bessel_i0(const Tensor& input);
Tensor modified_bessel_i1(const Tensor& input);
Tensor modified_bessel_k0(const Tensor& input);
Tensor modified_bessel_k1(const Tensor& input);
/// Return e^input times the modified Bessel functions of the second kind. Have no gradient.
/// PyTorch: torch.special.scaled_modified_bessel_k0, torch.special.scaled_modified_bessel_k1.
Tensor scaled_modified_bessel_k0(const Tensor& input);
Tensor scaled_modified_bessel_k1(const Tensor& input);
/// Returns sin(input) / input, the spherical Bessel function of order 0. Has no gradient. PyTorch:
/// torch.special.spherical_bessel_j0.
Tensor spherical_bessel_j0(const Tensor& input);
/// Returns a * log1p(b), which is 0 where a is 0, and NaN where b is NaN. PyTorch:
/// torch.special.xlog1py.
Tensor xlog1py(const Tensor& a, const Tensor& b);
Tensor xlog1py(const Tensor& a, const Scalar& b);
Tensor xlog1py(const Scalar& a, const Tensor& b);
/// Returns the Hurwitz zeta function, the sum of (b + k)^-a over k >= 0. Has no gradient with
/// respect to a. PyTorch: torch.special.zeta.
Tensor zeta(const Tensor& a, const Tensor& b);
Tensor zeta(const Tensor& a, const Scalar& b);
Tensor zeta(const Scalar& a, const Tensor& b);

// Orthogonal polynomials of order b at a, where b is truncated to an integer. Negative orders are
// 0. Values that overflow are infinite or NaN. Have no gradient.

/// Returns the Chebyshev polynomial T. PyTorch: torch.special.chebyshev_polynomial_t.
Tensor chebyshev_polynomial_t(const Tensor& a, const Tensor& b);
Tensor chebyshev_polynomial_t(const Tensor& a, const Scalar& b);
Tensor chebyshev_polynomial_t(const Scalar& a, const Tensor& b);
/// Returns the Chebyshev polynomial U. PyTorch: torch.special.chebyshev_polynomial_u.
Tensor chebyshev_polynomial_u(const Tensor& a, const Tensor& b);
Tensor chebyshev_polynomial_u(const Tensor& a, const Scalar& b);
Tensor chebyshev_polynomial_u(const Scalar& a, const Tensor& b);
/// Returns the Chebyshev polynomial V. PyTorch: torch.special.chebyshev_polynomial_v.
Tensor chebyshev_polynomial_v(const Tensor& a, const Tensor& b);
Tensor chebyshev_polynomial_v(const Tensor& a, const Scalar& b);
Tensor chebyshev_polynomial_v(const Scalar& a, const Tensor& b);
/// Returns the Chebyshev polynomial W. PyTorch: torch.special.chebyshev_polynomial_w.
Tensor chebyshev_polynomial_w(const Tensor& a, const Tensor& b);
Tensor chebyshev_polynomial_w(const Tensor& a, const Scalar& b);
Tensor chebyshev_polynomial_w(const Scalar& a, const Tensor& b);
/// Returns the shifted Chebyshev polynomial T, that of 2 a - 1. PyTorch:
/// torch.special.shifted_chebyshev_polynomial_t.
Tensor shifted_chebyshev_polynomial_t(const Tensor& a, const Tensor& b);
Tensor shifted_chebyshev_polynomial_t(const Tensor& a, const Scalar& b);
Tensor shifted_chebyshev_polynomial_t(const Scalar& a, const Tensor& b);
/// Returns the shifted Chebyshev polynomial U, that of 2 a - 1. PyTorch:
/// torch.special.shifted_chebyshev_polynomial_u.
Tensor shifted_chebyshev_polynomial_u(const Tensor& a, const Tensor& b);
Tensor shifted_chebyshev_polynomial_u(const Tensor& a, const Scalar& b);
Tensor shifted_chebyshev_polynomial_u(const Scalar& a, const Tensor& b);
/// Returns the shifted Chebyshev polynomial V, that of 2 a - 1. PyTorch:
/// torch.special.shifted_chebyshev_polynomial_v.
Tensor shifted_chebyshev_polynomial_v(const Tensor& a, const Tensor& b);
Tensor shifted_chebyshev_polynomial_v(const Tensor& a, const Scalar& b);
Tensor shifted_chebyshev_polynomial_v(const Scalar& a, const Tensor& b);
/// Returns the shifted Chebyshev polynomial W, that of 2 a - 1. PyTorch:
/// torch.special.shifted_chebyshev_polynomial_w.
Tensor shifted_chebyshev_polynomial_w(const Tensor& a, const Tensor& b);
Tensor shifted_chebyshev_polynomial_w(const Tensor& a, const Scalar& b);
Tensor shifted_chebyshev_polynomial_w(const Scalar& a, const Tensor& b);
/// Returns the Hermite polynomial H. PyTorch: torch.special.hermite_polynomial_h.
Tensor hermite_polynomial_h(const Tensor& a, const Tensor& b);
Tensor hermite_polynomial_h(const Tensor& a, const Scalar& b);
Tensor hermite_polynomial_h(const Scalar& a, const Tensor& b);
/// Returns the Hermite polynomial He. PyTorch: torch.special.hermite_polynomial_he.
Tensor hermite_polynomial_he(const Tensor& a, const Tensor& b);
Tensor hermite_polynomial_he(const Tensor& a, const Scalar& b);
Tensor hermite_polynomial_he(const Scalar& a, const Tensor& b);
/// Returns the Laguerre polynomial L. PyTorch: torch.special.laguerre_polynomial_l.
Tensor laguerre_polynomial_l(const Tensor& a, const Tensor& b);
Tensor laguerre_polynomial_l(const Tensor& a, const Scalar& b);
Tensor laguerre_polynomial_l(const Scalar& a, const Tensor& b);
/// Returns the Legendre polynomial P. PyTorch: torch.special.legendre_polynomial_p.
Tensor legendre_polynomial_p(const Tensor& a, const Tensor& b);
Tensor legendre_polynomial_p(const Tensor& a, const Scalar& b);
Tensor legendre_polynomial_p(const Scalar& a, const Tensor& b);

// Second names of functions of namespace taper.

/// Equivalent to taper::digamma. PyTorch: torch.special.digamma.
Tensor digamma(const Tensor& input);
/// Equivalent to taper::digamma. PyTorch: torch.special.psi.
Tensor psi(const Tensor& input);
/// Equivalent to taper::erf. PyTorch: torch.special.erf.
Tensor erf(const Tensor& input);
/// Equivalent to taper::erfc. PyTorch: torch.special.erfc.
Tensor erfc(const Tensor& input);
/// Equivalent to taper::erfinv. PyTorch: torch.special.erfinv.
Tensor erfinv(const Tensor& input);
/// Equivalent to taper::exp2. PyTorch: torch.special.exp2.
Tensor exp2(const Tensor& input);
/// Equivalent to taper::sigmoid. PyTorch: torch.special.expit.
Tensor expit(const Tensor& input);
/// Equivalent to taper::expm1. PyTorch: torch.special.expm1.
Tensor expm1(const Tensor& input);
/// Equivalent to taper::lgamma. PyTorch: torch.special.gammaln.
Tensor gammaln(const Tensor& input);
/// Equivalent to taper::i0. PyTorch: torch.special.i0.
Tensor i0(const Tensor& input);
/// Equivalent to taper::log1p. PyTorch: torch.special.log1p.
Tensor log1p(const Tensor& input);
/// Equivalent to taper::sinc. PyTorch: torch.special.sinc.
Tensor sinc(const Tensor& input);
/// Equivalent to taper::round. PyTorch: torch.special.round.
Tensor round(const Tensor& input);
Tensor round(const Tensor& input, IntArg decimals);
/// Equivalent to taper::igamma. PyTorch: torch.special.gammainc.
Tensor gammainc(const Tensor& input, const Tensor& other);
/// Equivalent to taper::igammac. PyTorch: torch.special.gammaincc.
Tensor gammaincc(const Tensor& input, const Tensor& other);
/// Equivalent to taper::xlogy. PyTorch: torch.special.xlogy.
Tensor xlogy(const Tensor& input, const Tensor& other);
Tensor xlogy(const Tensor& input, const Scalar& other);
Tensor xlogy(const Scalar& self, const Tensor& other);
/// Equivalent to taper::logit. PyTorch: torch.special.logit.
Tensor logit(const Tensor& input, std::optional<FloatArg> eps = {});
/// Equivalent to taper::mvlgamma. PyTorch: torch.special.multigammaln.
Tensor multigammaln(const Tensor& input, IntArg p);
/// Equivalent to taper::polygamma. PyTorch: torch.special.polygamma.
Tensor polygamma(IntArg n, const Tensor& input);
/// Equivalent to taper::logsumexp. PyTorch: torch.special.logsumexp.
Tensor logsumexp(const Tensor& input, const Dims& dim, bool keepdim = false);
/// Equivalent to taper::softmax. PyTorch: torch.special.softmax.
Tensor softmax(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});
/// Equivalent to taper::log_softmax. PyTorch: torch.special.log_softmax.
Tensor log_softmax(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});

}  // namespace special
}  // namespace taper
