#include "taper/nn/normalization.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/normalization.h"
#include "taper/ops/norm.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(LayerNorm, weight, bias)
TAPER_LAYER_MEMBERS(GroupNorm, weight, bias)
TAPER_LAYER_MEMBERS(RMSNorm, weight)
TAPER_LAYER_MEMBERS(LocalResponseNorm)

namespace {

void reset_affine(std::optional<Parameter>& weight) {
  const NoGrad guard;
  if (weight) weight->fill_(1);
}
void reset_affine(std::optional<Parameter>& weight, std::optional<Parameter>& bias) {
  reset_affine(weight);
  const NoGrad guard;
  if (bias) bias->zero_();
}

}  // namespace

LayerNorm::LayerNorm(const Shape& shape, const LayerNormOptions& o)
    : normalized_shape(shape), eps(o.eps), elementwise_affine(o.elementwise_affine) {
  if (elementwise_affine) weight.emplace(empty(shape, tensor_options(o)));
  if (elementwise_affine && o.bias) bias.emplace(empty(shape, tensor_options(o)));
  reset_parameters();
}
void LayerNorm::reset_parameters() { reset_affine(weight, bias); }
Tensor LayerNorm::forward(const Tensor& input) const {
  return taper::layer_norm(called(input), normalized_shape, weight, bias, eps);
}
std::string LayerNorm::extra_repr() const {
  return tuple_text(normalized_shape) + ", eps=" + python_text(eps) +
         ", elementwise_affine=" + python_text(elementwise_affine) +
         ", bias=" + python_text(bias.has_value());
}

GroupNorm::GroupNorm(IntArg groups, IntArg channels, const GroupNormOptions& o)
    : num_groups(groups), num_channels(channels), eps(o.eps), affine(o.affine) {
  if (num_groups <= 0 || num_channels < 0 || num_channels % num_groups != 0)
    fail<ValueError>("num_channels ({}) must be divisible by num_groups ({})", num_channels,
                     num_groups);
  if (affine) {
    weight.emplace(empty({num_channels}, tensor_options(o)));
    if (o.bias) bias.emplace(empty({num_channels}, tensor_options(o)));
  }
  reset_parameters();
}
void GroupNorm::reset_parameters() { reset_affine(weight, bias); }
Tensor GroupNorm::forward(const Tensor& input) const {
  return functional::group_norm(called(input), num_groups,
                                {.weight = weight, .bias = bias, .eps = eps});
}
std::string GroupNorm::extra_repr() const {
  return std::to_string(num_groups) + ", " + std::to_string(num_channels) +
         ", eps=" + python_text(eps) + ", affine=" + python_text(affine) +
         ", bias=" + python_text(bias.has_value());
}

RMSNorm::RMSNorm(const Shape& shape, const RMSNormOptions& o)
    : normalized_shape(shape), eps(o.eps), elementwise_affine(o.elementwise_affine) {
  if (elementwise_affine) weight.emplace(empty(shape, tensor_options(o)));
  reset_parameters();
}
void RMSNorm::reset_parameters() { reset_affine(weight); }
Tensor RMSNorm::forward(const Tensor& input) const {
  return taper::rms_norm(called(input), normalized_shape, weight,
                         eps ? std::optional<FloatArg>(*eps) : std::nullopt);
}
std::string RMSNorm::extra_repr() const {
  return tuple_text(normalized_shape) + ", eps=" + (eps ? python_text(*eps) : "None") +
         ", elementwise_affine=" + python_text(elementwise_affine);
}

Tensor LocalResponseNorm::forward(const Tensor& input) const {
  return functional::local_response_norm(called(input), size,
                                         {.alpha = alpha, .beta = beta, .k = k});
}
std::string LocalResponseNorm::extra_repr() const {
  return std::to_string(size) + ", alpha=" + python_text(alpha) + ", beta=" + python_text(beta) +
         ", k=" + python_text(k);
}

template <> constexpr bool kStoresTuples<LayerNorm> = true;
template <> constexpr bool kStoresTuples<RMSNorm> = true;

TAPER_OPTIONS_SCHEMA(LayerNorm, "normalization", normalized_shape)
TAPER_ORDERED_SCHEMA(GroupNorm, "normalization", "eps, affine, device, dtype, *, bias", num_groups,
                     num_channels)
TAPER_OPTIONS_SCHEMA(RMSNorm, "normalization", normalized_shape)
TAPER_OPTIONS_SCHEMA(LocalResponseNorm, "normalization", size)

}  // namespace taper::nn
