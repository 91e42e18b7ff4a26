#include "taper/nn/dropout.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
#include "taper/nn/functional/dropout.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Dropout)
TAPER_LAYER_MEMBERS(Dropout1d)
TAPER_LAYER_MEMBERS(Dropout2d)
TAPER_LAYER_MEMBERS(Dropout3d)
TAPER_LAYER_MEMBERS(AlphaDropout)
TAPER_LAYER_MEMBERS(FeatureAlphaDropout)

namespace F = functional;

DropoutBase::DropoutBase(const DropoutOptions& options) : p(options.p), inplace(options.inplace) {
  if (!(p.to_double() >= 0 && p.to_double() <= 1))
    fail<ValueError>("dropout probability has to be between 0 and 1, but got {}", p.str());
}

std::string DropoutBase::extra_repr() const {
  return "p=" + p.str() + ", inplace=" + python_text(inplace);
}

Tensor Dropout::forward(const Tensor& x) const {
  return F::dropout(x, p.to_double(), {.training = training, .inplace = inplace});
}
Tensor Dropout1d::forward(const Tensor& x) const {
  return F::dropout1d(x, p.to_double(), {.training = training, .inplace = inplace});
}
Tensor Dropout2d::forward(const Tensor& x) const {
  return F::dropout2d(x, p.to_double(), {.training = training, .inplace = inplace});
}
Tensor Dropout3d::forward(const Tensor& x) const {
  return F::dropout3d(x, p.to_double(), {.training = training, .inplace = inplace});
}
Tensor AlphaDropout::forward(const Tensor& x) const {
  return F::alpha_dropout(x, p.to_double(), {.training = training, .inplace = inplace});
}
Tensor FeatureAlphaDropout::forward(const Tensor& x) const {
  return F::feature_alpha_dropout(x, p.to_double(), {.training = training, .inplace = inplace});
}

namespace {

template <class L> constexpr ModuleSchema dropout_schema(std::string_view name) {
  return layer_schema<L>(
      name, "dropout", "p=0.5, inplace=False",
      [](const Arguments& a) { return L(a.scalar("p"), {.inplace = a.flag("inplace")}); },
      [](const L& m) -> Values {
        return {m.p, m.inplace};
      });
}

}  // namespace

const ModuleSchema& module_schema(const Dropout*) {
  static constexpr ModuleSchema schema = dropout_schema<Dropout>("Dropout");
  return schema;
}
const ModuleSchema& module_schema(const Dropout1d*) {
  static constexpr ModuleSchema schema = dropout_schema<Dropout1d>("Dropout1d");
  return schema;
}
const ModuleSchema& module_schema(const Dropout2d*) {
  static constexpr ModuleSchema schema = dropout_schema<Dropout2d>("Dropout2d");
  return schema;
}
const ModuleSchema& module_schema(const Dropout3d*) {
  static constexpr ModuleSchema schema = dropout_schema<Dropout3d>("Dropout3d");
  return schema;
}
const ModuleSchema& module_schema(const AlphaDropout*) {
  static constexpr ModuleSchema schema = dropout_schema<AlphaDropout>("AlphaDropout");
  return schema;
}
const ModuleSchema& module_schema(const FeatureAlphaDropout*) {
  static constexpr ModuleSchema schema = dropout_schema<FeatureAlphaDropout>("FeatureAlphaDropout");
  return schema;
}

}  // namespace taper::nn
