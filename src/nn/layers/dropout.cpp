#include "taper/nn/dropout.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"
#include "taper/nn/functional/dropout.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Dropout)
TAPER_LAYER_MEMBERS(Dropout1d)
TAPER_LAYER_MEMBERS(Dropout2d)
TAPER_LAYER_MEMBERS(Dropout3d)
TAPER_LAYER_MEMBERS(AlphaDropout)
TAPER_LAYER_MEMBERS(FeatureAlphaDropout)

namespace F = functional;

DropoutBase::DropoutBase(const DropoutOptions& options) : Configured(options) {
  if (!(p.to_double() >= 0 && p.to_double() <= 1))
    fail<ValueError>("dropout probability has to be between 0 and 1, but got {}", p.str());
}

std::string DropoutBase::extra_repr() const {
  return "p=" + p.str() + ", inplace=" + python_text(inplace);
}

Tensor Dropout::forward(const Tensor& x) const {
  return F::dropout(called(x), p.to_double(), {.training = training, .inplace = inplace});
}
Tensor Dropout1d::forward(const Tensor& x) const {
  return F::dropout1d(called(x), p.to_double(), {.training = training, .inplace = inplace});
}
Tensor Dropout2d::forward(const Tensor& x) const {
  return F::dropout2d(called(x), p.to_double(), {.training = training, .inplace = inplace});
}
Tensor Dropout3d::forward(const Tensor& x) const {
  return F::dropout3d(called(x), p.to_double(), {.training = training, .inplace = inplace});
}
Tensor AlphaDropout::forward(const Tensor& x) const {
  return F::alpha_dropout(called(x), p.to_double(), {.training = training, .inplace = inplace});
}
Tensor FeatureAlphaDropout::forward(const Tensor& x) const {
  return F::feature_alpha_dropout(called(x), p.to_double(),
                                  {.training = training, .inplace = inplace});
}

TAPER_OPTIONS_SCHEMA(Dropout, "dropout")
TAPER_OPTIONS_SCHEMA(Dropout1d, "dropout")
TAPER_OPTIONS_SCHEMA(Dropout2d, "dropout")
TAPER_OPTIONS_SCHEMA(Dropout3d, "dropout")
TAPER_OPTIONS_SCHEMA(AlphaDropout, "dropout")
TAPER_OPTIONS_SCHEMA(FeatureAlphaDropout, "dropout")

}  // namespace taper::nn
