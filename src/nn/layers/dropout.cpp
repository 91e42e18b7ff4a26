#include "taper/nn/dropout.h"

#include "nn/layers/text.h"
#include "nn/registry/schema.h"
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
  return "p=" + p.str() + ", inplace=" + python_text(inplace);
}

Tensor Dropout::forward(const Tensor& x) const {
  return F::dropout(x, p.to_double(), training, inplace);
}
Tensor Dropout1d::forward(const Tensor& x) const {
  return F::dropout1d(x, p.to_double(), training, inplace);
}
Tensor Dropout2d::forward(const Tensor& x) const {
  return F::dropout2d(x, p.to_double(), training, inplace);
}
Tensor Dropout3d::forward(const Tensor& x) const {
  return F::dropout3d(x, p.to_double(), training, inplace);
}
Tensor AlphaDropout::forward(const Tensor& x) const {
  return F::alpha_dropout(x, p.to_double(), training, inplace);
}
Tensor FeatureAlphaDropout::forward(const Tensor& x) const {
  return F::feature_alpha_dropout(x, p.to_double(), training, inplace);
}

namespace {

template <class L> constexpr ClassRow dropout_row(std::string_view name) {
  return layer_row<L>(
      name, "dropout", "p=0.5, inplace=False",
      [](const Arguments& a) { return L(a.scalar("p"), {.inplace = a.flag("inplace")}); },
      [](const L& m) -> Values {
        return {m.p, m.inplace};
      });
}

}  // namespace

const ClassRow& row_of(const Dropout*) {
  static constexpr ClassRow row = dropout_row<Dropout>("Dropout");
  return row;
}
const ClassRow& row_of(const Dropout1d*) {
  static constexpr ClassRow row = dropout_row<Dropout1d>("Dropout1d");
  return row;
}
const ClassRow& row_of(const Dropout2d*) {
  static constexpr ClassRow row = dropout_row<Dropout2d>("Dropout2d");
  return row;
}
const ClassRow& row_of(const Dropout3d*) {
  static constexpr ClassRow row = dropout_row<Dropout3d>("Dropout3d");
  return row;
}
const ClassRow& row_of(const AlphaDropout*) {
  static constexpr ClassRow row = dropout_row<AlphaDropout>("AlphaDropout");
  return row;
}
const ClassRow& row_of(const FeatureAlphaDropout*) {
  static constexpr ClassRow row = dropout_row<FeatureAlphaDropout>("FeatureAlphaDropout");
  return row;
}

}  // namespace taper::nn
