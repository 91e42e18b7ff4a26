// Rows of the sweep: special functions.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily special_rows() {
  return {"special",
          {
              OP(3, "x[n]", i0(x)),
              OP(3, "x[n]", special::i0e(x)),
              OP(3, "x[n]", special::i1(x)),
              OP(3, "x[n]", special::i1e(x)),
              OP(3, "x[n]=positive", special::entr(x)),
              OP(3, "x[n]", special::erfcx(x)),
              OP(3, "x[n]", special::ndtr(x)),
              OP(3, "x[n]", special::log_ndtr(x)),
              OP(3, "x[n]=uniform", special::ndtri(x)),
              OP(3, "x[n]", special::airy_ai(x)).sizes(2),
              OP(3, "x[n]", special::bessel_j0(x)).no_grad(),
              OP(3, "x[n]", special::bessel_j1(x)).no_grad(),
              OP(3, "x[n]=positive", special::bessel_y0(x)).no_grad(),
              OP(3, "x[n]=positive", special::bessel_y1(x)).no_grad(),
              OP(3, "x[n]", special::modified_bessel_i0(x)).no_grad(),
              OP(3, "x[n]", special::modified_bessel_i1(x)).no_grad(),
              OP(3, "x[n]=positive", special::modified_bessel_k0(x)).no_grad(),
              OP(3, "x[n]=positive", special::modified_bessel_k1(x)).no_grad(),
              OP(3, "x[n]=positive", special::scaled_modified_bessel_k0(x)),
              OP(3, "x[n]=positive", special::scaled_modified_bessel_k1(x)),
              OP(3, "x[n]", special::spherical_bessel_j0(x)),
              OP(3, "x[n]=positive~ y[n]=positive", igamma(x, y)).sizes(2),
              OP(3, "x[n]=positive~ y[n]=positive", igammac(x, y)).sizes(2),
              OP(3, "x[n]=positive", polygamma(1, x)).sizes(2),
              OP(3, "x[n]=positive", mvlgamma(x + 1, 2)),
              OP(3, "x[n]=positive y[n]", special::xlog1py(x, y.abs())),
              OP(3, "x[n]=positive~ y[n]=positive", special::zeta(x + 1, y)).sizes(2),
              OP(3, "x[n]=unit", special::chebyshev_polynomial_t(x, 5)).no_grad(),
              OP(3, "x[n]=unit", special::chebyshev_polynomial_u(x, 5)).no_grad(),
              OP(3, "x[n]=unit", special::chebyshev_polynomial_v(x, 5)).no_grad(),
              OP(3, "x[n]=unit", special::chebyshev_polynomial_w(x, 5)).no_grad(),
              OP(3, "x[n]=uniform", special::shifted_chebyshev_polynomial_t(x, 5)).no_grad(),
              OP(3, "x[n]=uniform", special::shifted_chebyshev_polynomial_u(x, 5)).no_grad(),
              OP(3, "x[n]=uniform", special::shifted_chebyshev_polynomial_v(x, 5)).no_grad(),
              OP(3, "x[n]=uniform", special::shifted_chebyshev_polynomial_w(x, 5)).no_grad(),
              OP(3, "x[n]", special::hermite_polynomial_h(x, 5)).no_grad(),
              OP(3, "x[n]", special::hermite_polynomial_he(x, 5)).no_grad(),
              OP(3, "x[n]", special::laguerre_polynomial_l(x, 5)).no_grad(),
              OP(3, "x[n]=unit", special::legendre_polynomial_p(x, 5)).no_grad(),
          }};
}

}  // namespace taper::bench
