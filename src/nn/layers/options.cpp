#include "nn/layers/options.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "taper/nn/module_value.h"

namespace taper::nn {
namespace {

Value device_of(const std::optional<Parameter>& weight, const std::optional<Buffer>& statistics) {
  if (weight) return weight->device();
  return statistics ? Value(statistics->device()) : Value();
}
Value dtype_of(const std::optional<Parameter>& weight, const std::optional<Buffer>& statistics) {
  if (weight) return weight->dtype();
  return statistics ? Value(statistics->dtype()) : Value();
}

}  // namespace

void check_layer_count(std::int64_t count) {
  constexpr std::int64_t kMax = 1 << 14;
  if (count > kMax) fail<ValueError>("num_layers is too large: got {}, at most {}", count, kMax);
}

std::shared_ptr<Module> module_argument(const Arguments& a, std::string_view name) {
  const Value& given = a[name];
  if (given.is_none()) return nullptr;
  std::shared_ptr<Module> module = given.is_module() ? shared_module_of(given) : nullptr;
  if (!module) a.reject(name, "Module");
  return module;
}

ConvOptions conv_options(const Arguments& a) {
  return {.stride = a.sizes("stride"),
          .padding = a["padding"].is_string() ? ConvPadding(a.string("padding"))
                                              : ConvPadding(a.sizes("padding")),
          .dilation = a.sizes("dilation"),
          .groups = a.integer("groups"),
          .bias = a.flag("bias"),
          .padding_mode = a.string("padding_mode"),
          .dtype = a.dtype(),
          .device = a.device()};
}

Values conv_values(const ConvBase& m, Values first) {
  for (const Value& v :
       Values{tuple_value(m.kernel_size), tuple_value(m.stride),
              m.padding.word.empty() ? tuple_value(m.padding.sizes) : Value(m.padding.word),
              tuple_value(m.dilation), m.groups, m.bias.has_value(), m.padding_mode,
              m.weight.device(), m.weight.dtype()})
    first.push_back(v);
  return first;
}

ConvTransposeOptions conv_transpose_options(const Arguments& a) {
  return {.stride = a.sizes("stride"),
          .padding = a.sizes("padding"),
          .output_padding = a.sizes("output_padding"),
          .groups = a.integer("groups"),
          .bias = a.flag("bias"),
          .dilation = a.sizes("dilation"),
          .padding_mode = a.string("padding_mode"),
          .dtype = a.dtype(),
          .device = a.device()};
}

Values conv_transpose_values(const ConvBase& m, Values first) {
  for (const Value& v :
       Values{tuple_value(m.kernel_size), tuple_value(m.stride), tuple_value(m.padding.sizes),
              tuple_value(m.output_padding), m.groups, m.bias.has_value(), tuple_value(m.dilation),
              m.padding_mode, m.weight.device(), m.weight.dtype()})
    first.push_back(v);
  return first;
}

BatchNormOptions norm_options(const Arguments& a) {
  return {.eps = a.number("eps"),
          .momentum = a.optional_number("momentum"),
          .affine = a.flag("affine"),
          .track_running_stats = a.flag("track_running_stats"),
          .bias = a.flag("bias"),
          .dtype = a.dtype(),
          .device = a.device()};
}

Values norm_values(const NormBase& m, Values first) {
  for (const Value& v : Values{m.eps, Convert<std::optional<double>>::to(m.momentum), m.affine,
                               m.track_running_stats, device_of(m.weight, m.running_mean),
                               dtype_of(m.weight, m.running_mean),
                               !m.affine || m.bias.has_value()})  // affine=False ignores bias
    first.push_back(v);
  return first;
}

}  // namespace taper::nn
