// Transforms of elements.
#include <typeinfo>

#include "distributions/shapes.h"
#include "ops/pointwise/functions.h"
#include "taper/distributions/transforms.h"

namespace taper::distributions::transforms {
namespace {

bool same_values(const TensorOrNumber& a, const TensorOrNumber& b) {
  const Tensor x = a.to_tensor(DType::f64), y = b.to_tensor(DType::f64);
  return x.is_same(y) || (x.shape() == y.shape() && (x == y).all().item<bool>());
}

}  // namespace

Constraint AbsTransform::domain() const { return constraints::real; }
Constraint AbsTransform::codomain() const { return constraints::positive; }
Tensor AbsTransform::compute(const Tensor& x) const { return x.abs(); }
Tensor AbsTransform::compute_inverse(const Tensor& y) const { return y; }

Constraint ExpTransform::domain() const { return constraints::real; }
Constraint ExpTransform::codomain() const { return constraints::positive; }
Tensor ExpTransform::compute(const Tensor& x) const { return x.exp(); }
Tensor ExpTransform::compute_inverse(const Tensor& y) const { return y.log(); }
Tensor ExpTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const { return x; }

Constraint SigmoidTransform::domain() const { return constraints::real; }
Constraint SigmoidTransform::codomain() const { return constraints::unit_interval; }
Tensor SigmoidTransform::compute(const Tensor& x) const { return clipped_sigmoid(x); }
Tensor SigmoidTransform::compute_inverse(const Tensor& y) const {
  const finfo limits(y.dtype());
  const Tensor p = y.clamp(limits.tiny, 1 - limits.eps);
  return p.log() - (-p).log1p();
}
Tensor SigmoidTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return -softplus(-x) - softplus(x);
}

Constraint SoftplusTransform::domain() const { return constraints::real; }
Constraint SoftplusTransform::codomain() const { return constraints::positive; }
Tensor SoftplusTransform::compute(const Tensor& x) const { return softplus(x); }
Tensor SoftplusTransform::compute_inverse(const Tensor& y) const {
  return (-y).expm1().neg().log() + y;
}
Tensor SoftplusTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return -softplus(-x);
}

Constraint TanhTransform::domain() const { return constraints::real; }
Constraint TanhTransform::codomain() const { return constraints::interval(-1.0, 1.0); }
Tensor TanhTransform::compute(const Tensor& x) const { return x.tanh(); }
Tensor TanhTransform::compute_inverse(const Tensor& y) const { return y.atanh(); }
Tensor TanhTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  // Equal to log(1 - tanh(x)^2), which cancels for large x.
  return 2 * (std::numbers::ln2 - x - softplus(-2 * x));
}

Constraint AffineTransform::domain() const {
  return event_dim_ == 0 ? constraints::real
                         : constraints::independent(constraints::real, event_dim_);
}
TensorOrNumber AffineTransform::sign() const {
  if (scale_.is_tensor()) return scale_.tensor().sign();
  const double s = scale_.number().to_double();
  return s > 0 ? 1 : s < 0 ? -1 : 0;
}
Tensor AffineTransform::compute(const Tensor& x) const {
  const Tensor scaled = scale_.is_tensor() ? x * scale_.tensor() : x * scale_.number();
  return loc_.is_tensor() ? loc_.tensor() + scaled : loc_.number() + scaled;
}
Tensor AffineTransform::compute_inverse(const Tensor& y) const {
  const Tensor shifted = loc_.is_tensor() ? y - loc_.tensor() : y - loc_.number();
  return scale_.is_tensor() ? shifted / scale_.tensor() : shifted / scale_.number();
}
Tensor AffineTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  Tensor result = scale_.is_tensor()
                      ? scale_.tensor().abs().log()
                      : full_like(x, std::log(std::abs(scale_.number().to_double())));
  Shape shape = x.shape();
  if (event_dim_) {
    result = sum_rightmost(result.expand(broadcast_shapes(result.shape(), shape)), event_dim_);
    shape = without_last(shape, event_dim_);
  }
  return result.expand(broadcast_shapes(result.shape(), shape));
}
Shape AffineTransform::forward_shape(const Shape& shape) const {
  return broadcast_shapes(broadcast_shapes(shape, loc_.shape()), scale_.shape());
}
bool AffineTransform::equals(const Transform& other) const {
  const auto* o = dynamic_cast<const AffineTransform*>(&other);
  return o && same_values(loc_, o->loc_) && same_values(scale_, o->scale_);
}

Tensor PowerTransform::compute(const Tensor& x) const { return x.pow(exponent_); }
Tensor PowerTransform::compute_inverse(const Tensor& y) const { return y.pow(1 / exponent_); }
Tensor PowerTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  return (exponent_ * y / x).abs().log();
}
Shape PowerTransform::forward_shape(const Shape& shape) const {
  return broadcast_shapes(shape, exponent_.shape());
}
bool PowerTransform::equals(const Transform& other) const {
  const auto* o = dynamic_cast<const PowerTransform*>(&other);
  return o && same_values(exponent_, o->exponent_);
}

Tensor CumulativeDistributionTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return distribution_->log_prob(x);
}

}  // namespace taper::distributions::transforms
