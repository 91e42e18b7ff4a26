// Transforms of vectors and matrices.
#include "distributions/shapes.h"
#include "ops/pointwise/functions.h"
#include "taper/distributions/transforms.h"
#include "taper/ops/decomposition.h"

namespace taper::distributions::transforms {
namespace {

void check_rank(const char* name, const Shape& shape, std::int64_t n) {
  if (rank_of(shape) < n)
    fail<ValueError>("{}: too few dimensions on input: got shape {}, expected at least {}", name,
                     shape, n);
}
Shape check_matrices(const char* name, const Shape& shape) {
  check_rank(name, shape, 2);
  return shape;
}
Shape with_last(const Shape& shape, std::int64_t size) {
  return concat({without_last(shape, 1), {size}});
}
/// Returns log(K), log(K - 1), ..., log(2) for K - 1 = x.size(-1): the logits of equal shares.
Tensor log_shares(const Tensor& x) {
  const std::int64_t n = x.size(-1);
  return (static_cast<double>(n + 1) - full_as(x, {n}, 1).cumsum(-1)).log();
}
Tensor without_last_element(const Tensor& x) { return x.narrow(-1, 0, x.size(-1) - 1); }

Tensor replace_diagonal(const Tensor& matrix, const Tensor& diagonal) {
  return matrix.tril(-1) + diagonal.diag_embed();
}

}  // namespace

Constraint SoftmaxTransform::domain() const { return constraints::real_vector; }
Constraint SoftmaxTransform::codomain() const { return constraints::simplex; }
Tensor SoftmaxTransform::compute(const Tensor& x) const {
  const Tensor probs = (x - x.amax({-1}, true)).exp();
  return probs / probs.sum({-1}, true);
}
Tensor SoftmaxTransform::compute_inverse(const Tensor& y) const { return y.log(); }
Shape SoftmaxTransform::forward_shape(const Shape& shape) const {
  check_rank("SoftmaxTransform", shape, 1);
  return shape;
}
Shape SoftmaxTransform::inverse_shape(const Shape& shape) const { return forward_shape(shape); }

Constraint StickBreakingTransform::domain() const { return constraints::real_vector; }
Constraint StickBreakingTransform::codomain() const { return constraints::simplex; }
Tensor StickBreakingTransform::compute(const Tensor& x) const {
  const Tensor z = clipped_sigmoid(x - log_shares(x));
  return pad_with_ones(z, 0, 1) * pad_with_ones((1 - z).cumprod(-1), 1, 0);
}
Tensor StickBreakingTransform::compute_inverse(const Tensor& y) const {
  const Tensor head = without_last_element(y);
  // A rest of 0 is clamped, because its logarithm is subtracted.
  const Tensor rest = (1 - head.cumsum(-1)).clamp_min(finfo(y.dtype()).tiny);
  return head.log() - rest.log() + log_shares(head);
}
Tensor StickBreakingTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  const Tensor shifted = x - log_shares(x);
  return (-shifted + log_sigmoid(shifted) + without_last_element(y).log()).sum({-1});
}
Shape StickBreakingTransform::forward_shape(const Shape& shape) const {
  check_rank("StickBreakingTransform", shape, 1);
  return with_last(shape, shape.back() + 1);
}
Shape StickBreakingTransform::inverse_shape(const Shape& shape) const {
  check_rank("StickBreakingTransform", shape, 1);
  return with_last(shape, shape.back() - 1);
}

Constraint LowerCholeskyTransform::domain() const {
  return constraints::independent(constraints::real, 2);
}
Constraint LowerCholeskyTransform::codomain() const { return constraints::lower_cholesky; }
Tensor LowerCholeskyTransform::compute(const Tensor& x) const {
  return replace_diagonal(x, x.diagonal(0, -2, -1).exp());
}
Tensor LowerCholeskyTransform::compute_inverse(const Tensor& y) const {
  return replace_diagonal(y, y.diagonal(0, -2, -1).log());
}
Shape LowerCholeskyTransform::forward_shape(const Shape& shape) const {
  return check_matrices("LowerCholeskyTransform", shape);
}
Shape LowerCholeskyTransform::inverse_shape(const Shape& shape) const {
  return check_matrices("LowerCholeskyTransform", shape);
}

Constraint PositiveDefiniteTransform::domain() const {
  return constraints::independent(constraints::real, 2);
}
Constraint PositiveDefiniteTransform::codomain() const { return constraints::positive_definite; }
Tensor PositiveDefiniteTransform::compute(const Tensor& x) const {
  const Tensor factor = LowerCholeskyTransform()(x);
  return factor.matmul(factor.mT());
}
Tensor PositiveDefiniteTransform::compute_inverse(const Tensor& y) const {
  return LowerCholeskyTransform().inverse(linalg::cholesky(y));
}
Shape PositiveDefiniteTransform::forward_shape(const Shape& shape) const {
  return check_matrices("PositiveDefiniteTransform", shape);
}
Shape PositiveDefiniteTransform::inverse_shape(const Shape& shape) const {
  return check_matrices("PositiveDefiniteTransform", shape);
}

Constraint CorrCholeskyTransform::domain() const { return constraints::real_vector; }
Constraint CorrCholeskyTransform::codomain() const { return constraints::corr_cholesky; }
Tensor CorrCholeskyTransform::compute(const Tensor& x) const {
  const double eps = finfo(x.dtype()).eps;
  const Tensor r = vec_to_tril_matrix(x.tanh().clamp(-1 + eps, 1 - eps), -1);
  const Tensor remaining = (1 - r.square()).sqrt().cumprod(-1);
  return (r + eye(r.size(-1), -1, options_of(r))) *
         pad_with_ones(without_last_element(remaining), 1, 0);
}
Tensor CorrCholeskyTransform::compute_inverse(const Tensor& y) const {
  const Tensor remaining = 1 - y.square().cumsum(-1);
  const Tensor shifted = pad_with_ones(without_last_element(remaining), 1, 0);
  const Tensor t = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(shifted, -1).sqrt();
  return (t.log1p() - t.neg().log1p()) / 2;
}
Tensor CorrCholeskyTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  // Elements on and above the diagonal are 1 after the subtraction, or do not contribute.
  const Tensor remaining = tril_matrix_to_vec(1 - y.square().cumsum(-1), -2);
  const Tensor of_tanh = -2 * (x + softplus(-2 * x) - std::numbers::ln2).sum({-1});
  return 0.5 * remaining.log().sum({-1}) + of_tanh;
}
Shape CorrCholeskyTransform::forward_shape(const Shape& shape) const {
  check_rank("CorrCholeskyTransform", shape, 1);
  const std::int64_t n = shape.back();
  const auto d =
      static_cast<std::int64_t>(std::lround(std::sqrt(0.25 + 2 * static_cast<double>(n)) + 0.5));
  if (d * (d - 1) / 2 != n)
    fail<ValueError>("CorrCholeskyTransform: input is not a flattened lower-diagonal number: {}",
                     n);
  return concat({without_last(shape, 1), {d, d}});
}
Shape CorrCholeskyTransform::inverse_shape(const Shape& shape) const {
  check_rank("CorrCholeskyTransform", shape, 2);
  const std::int64_t d = shape.back();
  if (shape[shape.size() - 2] != d)
    fail<ValueError>("CorrCholeskyTransform: input is not square: got shape {}", shape);
  return concat({without_last(shape, 2), {d * (d - 1) / 2}});
}

ReshapeTransform::ReshapeTransform(const Shape& in_shape, const Shape& out_shape)
    : TransformOf("ReshapeTransform"), in_shape_(in_shape), out_shape_(out_shape) {
  if (in_shape.numel() != out_shape.numel())
    fail<ValueError>("in_shape, out_shape have different numbers of elements: {} vs {}",
                     in_shape.numel(), out_shape.numel());
}
Constraint ReshapeTransform::domain() const {
  return constraints::independent(constraints::real, rank_of(in_shape_));
}
Constraint ReshapeTransform::codomain() const {
  return constraints::independent(constraints::real, rank_of(out_shape_));
}
Tensor ReshapeTransform::compute(const Tensor& x) const {
  return x.reshape(forward_shape(x.shape()));
}
Tensor ReshapeTransform::compute_inverse(const Tensor& y) const {
  return y.reshape(inverse_shape(y.shape()));
}
Tensor ReshapeTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return full_as(x, without_last(x.shape(), rank_of(in_shape_)), 0);
}
namespace {
Shape reshaped(const Shape& shape, const Shape& from, const Shape& to) {
  check_rank("ReshapeTransform", shape, rank_of(from));
  if (last(shape, rank_of(from)) != from)
    fail<ValueError>("ReshapeTransform: shape mismatch: expected {} but got {}", from,
                     last(shape, rank_of(from)));
  return concat({without_last(shape, rank_of(from)), to});
}
}  // namespace
Shape ReshapeTransform::forward_shape(const Shape& shape) const {
  return reshaped(shape, in_shape_, out_shape_);
}
Shape ReshapeTransform::inverse_shape(const Shape& shape) const {
  return reshaped(shape, out_shape_, in_shape_);
}
bool ReshapeTransform::equals(const Transform& other) const {
  const auto* o = dynamic_cast<const ReshapeTransform*>(&other);
  return o && in_shape_ == o->in_shape_ && out_shape_ == o->out_shape_;
}

}  // namespace taper::distributions::transforms
