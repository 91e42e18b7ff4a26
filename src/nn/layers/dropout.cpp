#include "taper/nn/dropout.h"

#include "nn/layers/text.h"
#include "taper/core/error.h"
#include "taper/nn/functional/dropout.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Dropout)
TAPER_LAYER_MEMBERS(Dropout1d)
TAPER_LAYER_MEMBERS(Dropout2d)
TAPER_LAYER_MEMBERS(Dropout3d)
TAPER_LAYER_MEMBERS(AlphaDropout)
TAPER_LAYER_MEMBERS(FeatureAlphaDropout)

namespace F = functional;

DropoutBase::DropoutBase(const Scalar& probability, const DropoutOptions& options)
    : p(probability), inplace(options.inplace) {
  if (!(p.to_double() >= 0 && p.to_double() <= 1))
    throw ValueError("dropout probability has to be between 0 and 1, but got " + p.str());
}

std::string DropoutBase::extra_repr() const {
  return "p=" + p.str() + ", inplace=" + text(inplace);
}

Tensor Dropout::forward(const Tensor& x) { return F::dropout(x, p.to_double(), training, inplace); }
Tensor Dropout1d::forward(const Tensor& x) {
  return F::dropout1d(x, p.to_double(), training, inplace);
}
Tensor Dropout2d::forward(const Tensor& x) {
  return F::dropout2d(x, p.to_double(), training, inplace);
}
Tensor Dropout3d::forward(const Tensor& x) {
  return F::dropout3d(x, p.to_double(), training, inplace);
}
Tensor AlphaDropout::forward(const Tensor& x) {
  return F::alpha_dropout(x, p.to_double(), training, inplace);
}
Tensor FeatureAlphaDropout::forward(const Tensor& x) {
  return F::feature_alpha_dropout(x, p.to_double(), training, inplace);
}

}  // namespace taper::nn
