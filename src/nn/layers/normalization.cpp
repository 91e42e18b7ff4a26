#include "taper/nn/normalization.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
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
  return taper::layer_norm(input, normalized_shape, weight, bias, eps);
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
  return functional::group_norm(input, num_groups, {.weight = weight, .bias = bias, .eps = eps});
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
  return taper::rms_norm(input, normalized_shape, weight,
                         eps ? std::optional<FloatArg>(*eps) : std::nullopt);
}
std::string RMSNorm::extra_repr() const {
  return tuple_text(normalized_shape) + ", eps=" + (eps ? python_text(*eps) : "None") +
         ", elementwise_affine=" + python_text(elementwise_affine);
}

Tensor LocalResponseNorm::forward(const Tensor& input) const {
  return functional::local_response_norm(input, size, {.alpha = alpha, .beta = beta, .k = k});
}
std::string LocalResponseNorm::extra_repr() const {
  return std::to_string(size) + ", alpha=" + python_text(alpha) + ", beta=" + python_text(beta) +
         ", k=" + python_text(k);
}

namespace {

Value parameter_device(const std::optional<Parameter>& weight) {
  return weight ? Value(weight->device()) : Value();
}
Value parameter_dtype(const std::optional<Parameter>& weight) {
  return weight ? Value(weight->dtype()) : Value();
}

}  // namespace

const ModuleSchema& module_schema(const LayerNorm*) {
  static constexpr ModuleSchema schema = layer_schema<LayerNorm>(
      "LayerNorm", "normalization",
      "normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None",
      [](const Arguments& a) {
        return LayerNorm(a.sizes("normalized_shape"),
                         {.eps = a.number("eps"),
                          .elementwise_affine = a.flag("elementwise_affine"),
                          .bias = a.flag("bias"),
                          .dtype = a.dtype(),
                          .device = a.device()});
      },
      [](const LayerNorm& m) -> Values {
        return {tuple_value(m.normalized_shape),
                m.eps,
                m.elementwise_affine,
                m.bias.has_value(),
                parameter_device(m.weight),
                parameter_dtype(m.weight)};
      });
  return schema;
}
const ModuleSchema& module_schema(const GroupNorm*) {
  static constexpr ModuleSchema schema = layer_schema<GroupNorm>(
      "GroupNorm", "normalization",
      "num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True",
      [](const Arguments& a) {
        return GroupNorm(a.integer("num_groups"), a.integer("num_channels"),
                         {.eps = a.number("eps"),
                          .affine = a.flag("affine"),
                          .bias = a.flag("bias"),
                          .dtype = a.dtype(),
                          .device = a.device()});
      },
      [](const GroupNorm& m) -> Values {
        return {m.num_groups,
                m.num_channels,
                m.eps,
                m.affine,
                parameter_device(m.weight),
                parameter_dtype(m.weight),
                m.bias.has_value()};
      });
  return schema;
}
const ModuleSchema& module_schema(const RMSNorm*) {
  static constexpr ModuleSchema schema = layer_schema<RMSNorm>(
      "RMSNorm", "normalization",
      "normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None",
      [](const Arguments& a) {
        return RMSNorm(a.sizes("normalized_shape"),
                       {.eps = a.optional_number("eps"),
                        .elementwise_affine = a.flag("elementwise_affine"),
                        .dtype = a.dtype(),
                        .device = a.device()});
      },
      [](const RMSNorm& m) -> Values {
        return {tuple_value(m.normalized_shape), m.eps ? Value(*m.eps) : Value(),
                m.elementwise_affine, parameter_device(m.weight), parameter_dtype(m.weight)};
      });
  return schema;
}
const ModuleSchema& module_schema(const LocalResponseNorm*) {
  static constexpr ModuleSchema schema = layer_schema<LocalResponseNorm>(
      "LocalResponseNorm", "normalization", "size, alpha=0.0001, beta=0.75, k=1.0",
      [](const Arguments& a) {
        return LocalResponseNorm(
            a.integer("size"),
            {.alpha = a.number("alpha"), .beta = a.number("beta"), .k = a.number("k")});
      },
      [](const LocalResponseNorm& m) -> Values {
        return {m.size, m.alpha, m.beta, m.k};
      });
  return schema;
}

}  // namespace taper::nn
