#include "taper/nn/pooling.h"

#include "core/check.h"
#include "nn/layers/adaptive_size.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
#include "taper/nn/functional/pooling.h"

namespace taper::nn {

TAPER_DETAIL_LAYER_CLASS(MaxPool2d) {}
TAPER_LAYER_MEMBERS(AvgPool2d)
TAPER_LAYER_MEMBERS(AdaptiveAvgPool2d)

MaxPool2d::MaxPool2d(const Shape& kernel, const MaxPool2dOptions& o)
    : kernel_size(kernel),
      stride(o.stride.value_or(kernel)),
      padding(o.padding),
      dilation(o.dilation),
      return_indices(o.return_indices),
      ceil_mode(o.ceil_mode) {}

Tensor MaxPool2d::forward(const Tensor& input) const {
  if (return_indices)
    fail<TypeError>(
        "MaxPool2d: return_indices returns two tensors: use forward_with_indices, or call");
  return max_pool2d(
      input, kernel_size,
      {.stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode});
}

std::pair<Tensor, Tensor> MaxPool2d::forward_with_indices(const Tensor& input) const {
  return functional::max_pool2d_with_indices(
      input, kernel_size,
      {.stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode});
}

Tensor MaxPool2d::call_tensor(const Tensor& input) { return detail::call_typed(*this, input); }

Value MaxPool2d::forward_values(Values& args) {
  if (args.size() != 1) detail::throw_argument_count(*this, args.size(), 1, 1);
  if (!return_indices) return forward(args[0].as_tensor());
  return detail::to_value(forward_with_indices(args[0].as_tensor()));
}

std::string MaxPool2d::extra_repr() const {
  return "kernel_size=" + sizes_text(kernel_size) + ", stride=" + sizes_text(stride) +
         ", padding=" + sizes_text(padding) + ", dilation=" + sizes_text(dilation) +
         ", ceil_mode=" + python_text(ceil_mode);
}

AvgPool2d::AvgPool2d(const Shape& kernel, const AvgPool2dOptions& o)
    : kernel_size(kernel),
      stride(o.stride.value_or(kernel)),
      padding(o.padding),
      ceil_mode(o.ceil_mode),
      count_include_pad(o.count_include_pad),
      divisor_override(o.divisor_override) {}

Tensor AvgPool2d::forward(const Tensor& input) const {
  return functional::avg_pool2d(input, kernel_size,
                                {.stride = stride,
                                 .padding = padding,
                                 .ceil_mode = ceil_mode,
                                 .count_include_pad = count_include_pad,
                                 .divisor_override = divisor_override});
}

std::string AvgPool2d::extra_repr() const {
  return "kernel_size=" + sizes_text(kernel_size) + ", stride=" + sizes_text(stride) +
         ", padding=" + sizes_text(padding);
}

Tensor AdaptiveAvgPool2d::forward(const Tensor& input) const {
  return functional::adaptive_avg_pool2d(input, output_size);
}

std::string AdaptiveAvgPool2d::extra_repr() const { return adaptive_text(output_size); }

const ModuleSchema& module_schema(const MaxPool2d*) {
  static constexpr ModuleSchema schema = layer_schema<MaxPool2d>(
      "MaxPool2d", "pooling",
      "kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
      [](const Arguments& a) {
        return MaxPool2d(a.sizes("kernel_size"), {.stride = a.optional_sizes("stride"),
                                                  .padding = a.sizes("padding"),
                                                  .dilation = a.sizes("dilation"),
                                                  .return_indices = a.flag("return_indices"),
                                                  .ceil_mode = a.flag("ceil_mode")});
      },
      [](const MaxPool2d& m) -> Values {
        return {sizes_value(m.kernel_size), sizes_value(m.stride), sizes_value(m.padding),
                sizes_value(m.dilation),    m.return_indices,      m.ceil_mode};
      });
  return schema;
}

const ModuleSchema& module_schema(const AvgPool2d*) {
  static constexpr ModuleSchema schema = layer_schema<AvgPool2d>(
      "AvgPool2d", "pooling",
      "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None",
      [](const Arguments& a) {
        return AvgPool2d(a.sizes("kernel_size"),
                         {.stride = a.optional_sizes("stride"),
                          .padding = a.sizes("padding"),
                          .ceil_mode = a.flag("ceil_mode"),
                          .count_include_pad = a.flag("count_include_pad"),
                          .divisor_override = a.optional_integer("divisor_override")});
      },
      [](const AvgPool2d& m) -> Values {
        return {sizes_value(m.kernel_size),
                sizes_value(m.stride),
                sizes_value(m.padding),
                m.ceil_mode,
                m.count_include_pad,
                Convert<std::optional<std::int64_t>>::to(m.divisor_override)};
      });
  return schema;
}

const ModuleSchema& module_schema(const AdaptiveAvgPool2d*) {
  static constexpr ModuleSchema schema = layer_schema<AdaptiveAvgPool2d>(
      "AdaptiveAvgPool2d", "pooling", "output_size",
      [](const Arguments& a) { return AdaptiveAvgPool2d(adaptive_size(a["output_size"])); },
      [](const AdaptiveAvgPool2d& m) -> Values { return {adaptive_value(m.output_size)}; });
  return schema;
}

}  // namespace taper::nn
