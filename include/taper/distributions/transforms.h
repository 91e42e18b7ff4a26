// Concrete transforms.
#pragma once
#include "taper/distributions/distribution.h"
#include "taper/distributions/transform.h"

namespace TAPER_API taper {
namespace distributions::transforms {

/// y = |x|. The inverse is y. PyTorch: torch.distributions.transforms.AbsTransform.
class AbsTransform : public TransformOf<AbsTransform> {
 public:
  AbsTransform() : TransformOf("AbsTransform") {}
  Constraint domain() const override;
  Constraint codomain() const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// y = exp(x). PyTorch: torch.distributions.transforms.ExpTransform.
class ExpTransform : public TransformOf<ExpTransform> {
 public:
  ExpTransform() : TransformOf("ExpTransform") {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return true; }
  TensorOrNumber sign() const override { return 1; }

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// y = 1 / (1 + exp(-x)), clamped to the open interval (0, 1). PyTorch:
/// torch.distributions.transforms.SigmoidTransform.
class SigmoidTransform : public TransformOf<SigmoidTransform> {
 public:
  SigmoidTransform() : TransformOf("SigmoidTransform") {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return true; }
  TensorOrNumber sign() const override { return 1; }

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// y = log(1 + exp(x)). PyTorch: torch.distributions.transforms.SoftplusTransform.
class SoftplusTransform : public TransformOf<SoftplusTransform> {
 public:
  SoftplusTransform() : TransformOf("SoftplusTransform") {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return true; }
  TensorOrNumber sign() const override { return 1; }

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// y = tanh(x). PyTorch: torch.distributions.transforms.TanhTransform.
class TanhTransform : public TransformOf<TanhTransform> {
 public:
  TanhTransform() : TransformOf("TanhTransform") {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return true; }
  TensorOrNumber sign() const override { return 1; }

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// Softmax of the last dimension. Not one-to-one; the inverse is log(y). PyTorch:
/// torch.distributions.transforms.SoftmaxTransform.
class SoftmaxTransform : public TransformOf<SoftmaxTransform> {
 public:
  SoftmaxTransform() : TransformOf("SoftmaxTransform") {}
  Constraint domain() const override;
  Constraint codomain() const override;
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// Maps vectors `(..., K - 1)` to points of the simplex `(..., K)` by stick breaking, one-to-one.
/// PyTorch: torch.distributions.transforms.StickBreakingTransform.
class StickBreakingTransform : public TransformOf<StickBreakingTransform> {
 public:
  StickBreakingTransform() : TransformOf("StickBreakingTransform") {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return true; }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// Maps square matrices to lower triangular matrices with a positive diagonal, exp of the diagonal
/// of x. PyTorch: torch.distributions.transforms.LowerCholeskyTransform.
class LowerCholeskyTransform : public TransformOf<LowerCholeskyTransform> {
 public:
  LowerCholeskyTransform() : TransformOf("LowerCholeskyTransform") {}
  Constraint domain() const override;
  Constraint codomain() const override;
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// Maps square matrices to positive definite matrices L L^T, L = LowerCholeskyTransform(x).
/// PyTorch: torch.distributions.transforms.PositiveDefiniteTransform.
class PositiveDefiniteTransform : public TransformOf<PositiveDefiniteTransform> {
 public:
  PositiveDefiniteTransform() : TransformOf("PositiveDefiniteTransform") {}
  Constraint domain() const override;
  Constraint codomain() const override;
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};
/// Maps vectors `(..., D (D - 1) / 2)` to the Cholesky factors `(..., D, D)` of correlation
/// matrices (Lewandowski, Kurowicka and Joe, 2009). PyTorch:
/// torch.distributions.transforms.CorrCholeskyTransform.
class CorrCholeskyTransform : public TransformOf<CorrCholeskyTransform> {
 public:
  CorrCholeskyTransform() : TransformOf("CorrCholeskyTransform") {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return true; }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
};

/// y = loc + scale * x. `event_dim` is the number of dimensions of an event, over which the
/// logarithm of the Jacobian is summed. PyTorch: torch.distributions.transforms.AffineTransform.
class AffineTransform : public TransformOf<AffineTransform> {
 public:
  AffineTransform(const TensorOrNumber& loc, const TensorOrNumber& scale, IntArg event_dim = 0)
      : TransformOf("AffineTransform"), loc_(loc), scale_(scale), event_dim_(event_dim) {}
  const TensorOrNumber& loc() const { return loc_; }
  const TensorOrNumber& scale() const { return scale_; }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override { return domain(); }
  bool bijective() const override { return true; }
  TensorOrNumber sign() const override;
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override { return forward_shape(shape); }
  bool equals(const Transform& other) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;

 private:
  TensorOrNumber loc_, scale_;
  std::int64_t event_dim_;
};

/// y = x^exponent for positive x. PyTorch: torch.distributions.transforms.PowerTransform.
class PowerTransform : public TransformOf<PowerTransform> {
 public:
  explicit PowerTransform(const TensorOrNumber& exponent)
      : TransformOf("PowerTransform"), exponent_(exponent.to_tensor()) {}
  const Tensor& exponent() const { return exponent_; }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override { return constraints::positive; }
  Constraint codomain() const override { return constraints::positive; }
  bool bijective() const override { return true; }
  TensorOrNumber sign() const override { return exponent_.sign(); }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override { return forward_shape(shape); }
  bool equals(const Transform& other) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;

 private:
  Tensor exponent_;
};

/// y = cdf(x) of a distribution of scalar events.
/// PyTorch: torch.distributions.transforms.CumulativeDistributionTransform.
class CumulativeDistributionTransform : public TransformOf<CumulativeDistributionTransform> {
 public:
  explicit CumulativeDistributionTransform(const AnyDistribution& distribution)
      : TransformOf("CumulativeDistributionTransform"), distribution_(distribution) {}
  const Distribution& distribution() const { return *distribution_; }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override { return distribution_->support(); }
  Constraint codomain() const override { return constraints::unit_interval; }
  bool equals(const Transform& other) const override { return this == &other; }
  bool bijective() const override { return true; }
  TensorOrNumber sign() const override { return 1; }

 protected:
  Tensor compute(const Tensor& x) const override { return distribution_->cdf(x); }
  Tensor compute_inverse(const Tensor& y) const override { return distribution_->icdf(y); }

 private:
  AnyDistribution distribution_;
};

/// Reshapes events from `in_shape` to `out_shape`. Throws ValueError if the numbers of elements
/// differ. PyTorch: torch.distributions.transforms.ReshapeTransform.
class ReshapeTransform : public TransformOf<ReshapeTransform> {
 public:
  ReshapeTransform(const Shape& in_shape, const Shape& out_shape);
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return true; }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;
  bool equals(const Transform& other) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;

 private:
  Shape in_shape_, out_shape_;
};

/// Applies transforms one after the other, the first one first.
/// PyTorch: torch.distributions.transforms.ComposeTransform.
class ComposeTransform : public TransformOf<ComposeTransform> {
 public:
  explicit ComposeTransform(std::vector<AnyTransform> parts)
      : TransformOf("ComposeTransform"), parts_(std::move(parts)) {}
  const std::vector<AnyTransform>& parts() const { return parts_; }
  AnyTransform inv() const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override;
  TensorOrNumber sign() const override;
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;
  std::string str() const override;
  bool equals(const Transform& other) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
  void set_cache(std::int64_t size) override;

 private:
  std::vector<AnyTransform> parts_;
};

/// The transform that returns its input: an empty composition, which is never destroyed.
/// PyTorch: torch.distributions.transforms.identity_transform.
inline const ComposeTransform& identity_transform =
    *new ComposeTransform(std::vector<AnyTransform>());

/// Treats the last `reinterpreted_batch_ndims` batch dimensions of a transform as dimensions of an
/// event. PyTorch: torch.distributions.transforms.IndependentTransform.
class IndependentTransform : public TransformOf<IndependentTransform> {
 public:
  IndependentTransform(const AnyTransform& base_transform, IntArg reinterpreted_batch_ndims)
      : TransformOf("IndependentTransform"),
        base_(base_transform),
        ndims_(reinterpreted_batch_ndims) {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override { return base_->bijective(); }
  TensorOrNumber sign() const override { return base_->sign(); }
  Shape forward_shape(const Shape& shape) const override { return base_->forward_shape(shape); }
  Shape inverse_shape(const Shape& shape) const override { return base_->inverse_shape(shape); }
  std::string str() const override;
  bool equals(const Transform& other) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override { return base_->inverse(y); }
  void set_cache(std::int64_t size) override;

 private:
  AnyTransform base_;
  std::int64_t ndims_;
};

/// Applies transforms to slices of the given lengths along `dim`, by default of length 1.
/// PyTorch: torch.distributions.transforms.CatTransform.
class CatTransform : public TransformOf<CatTransform> {
 public:
  explicit CatTransform(std::vector<AnyTransform> tseq, IntArg dim = 0, const Shape& lengths = {});
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override;
  bool equals(const Transform& other) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
  void set_cache(std::int64_t size) override;

 private:
  std::vector<Tensor> slices(const Tensor& x) const;
  std::vector<AnyTransform> parts_;
  std::int64_t dim_;
  Shape lengths_;
};

/// Applies a transform to each entry along `dim`.
/// PyTorch: torch.distributions.transforms.StackTransform.
class StackTransform : public TransformOf<StackTransform> {
 public:
  explicit StackTransform(std::vector<AnyTransform> tseq, IntArg dim = 0)
      : TransformOf("StackTransform"), parts_(std::move(tseq)), dim_(dim) {}
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint domain() const override;
  Constraint codomain() const override;
  bool bijective() const override;
  bool equals(const Transform& other) const override;

 protected:
  Tensor compute(const Tensor& x) const override;
  Tensor compute_inverse(const Tensor& y) const override;
  void set_cache(std::int64_t size) override;

 private:
  std::vector<Tensor> slices(const Tensor& x) const;
  std::vector<AnyTransform> parts_;
  std::int64_t dim_;
};

}  // namespace distributions::transforms
}  // namespace taper

namespace TAPER_API taper {
namespace distributions {
using transforms::AbsTransform;
using transforms::AffineTransform;
using transforms::AnyTransform;
using transforms::CatTransform;
using transforms::ComposeTransform;
using transforms::CorrCholeskyTransform;
using transforms::CumulativeDistributionTransform;
using transforms::ExpTransform;
using transforms::identity_transform;
using transforms::IndependentTransform;
using transforms::LowerCholeskyTransform;
using transforms::PositiveDefiniteTransform;
using transforms::PowerTransform;
using transforms::ReshapeTransform;
using transforms::SigmoidTransform;
using transforms::SoftmaxTransform;
using transforms::SoftplusTransform;
using transforms::StackTransform;
using transforms::StickBreakingTransform;
using transforms::TanhTransform;
using transforms::Transform;
}  // namespace distributions
}  // namespace taper
