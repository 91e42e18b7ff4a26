#include "taper/nn/linear.h"

#include <cmath>

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"
#include "ops/linalg/functions.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Linear, weight, bias)
TAPER_LAYER_MEMBERS(Identity)
namespace {

Tensor new_linear_tensor(const Shape& shape, const LinearOptions& o) {
  for (std::int64_t size : shape)
    if (size < 0)
      fail<ValueError>("Linear: in_features and out_features must not be negative, got {} and {}",
                       shape.back(), shape.front());
  return empty(shape, tensor_options(o));
}

}  // namespace

Linear::Linear(IntArg in, IntArg out, const LinearOptions& o)
    : in_features(in), out_features(out), weight(new_linear_tensor({out, in}, o)) {
  if (o.bias) bias.emplace(new_linear_tensor({out}, o));
  reset_parameters();
}

Linear::Linear(std::nullopt_t, IntArg out, const LinearOptions& o)
    : in_features(0),
      out_features(out),
      weight(UninitializedParameter(true, {.dtype = o.dtype, .device = o.device})) {
  if (out < 0) fail<ValueError>("Linear: out_features must not be negative, got {}", out);
  if (o.bias) bias.emplace(UninitializedParameter(true, {.dtype = o.dtype, .device = o.device}));
}

void Linear::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias) return;
  const double bound = in_features > 0 ? 1 / std::sqrt(static_cast<double>(in_features)) : 0;
  init::uniform_(*bias, -bound, bound);
}

Tensor Linear::forward(const Tensor& input) const {
  return taper::linear(called(input), weight, bias);
}

std::string Linear::extra_repr() const {
  return "in_features=" + std::to_string(in_features) +
         ", out_features=" + std::to_string(out_features) +
         ", bias=" + python_text(bias.has_value());
}

const ModuleSchema& module_schema(const Identity*) {
  static constexpr ModuleSchema schema = layer_schema<Identity>(
      "Identity", "linear", "*args, **kwargs", [](const Arguments&) { return Identity(); },
      [](const Identity&) -> Values { return {}; });
  return schema;
}

TAPER_OPTIONS_SCHEMA(Linear, "linear", in_features, out_features)

}  // namespace taper::nn
