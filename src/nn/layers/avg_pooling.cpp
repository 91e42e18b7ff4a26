#include "taper/nn/avg_pooling.h"

#include "nn/layers/text.h"
#include "nn/registry/schema.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(AvgPool1d)
TAPER_LAYER_MEMBERS(AvgPool2d)
TAPER_LAYER_MEMBERS(AvgPool3d)

std::string AvgPoolBase::extra_repr() const {
  return "kernel_size=" + sizes_text(kernel_size) + ", stride=" + sizes_text(stride) +
         ", padding=" + sizes_text(padding);
}

std::string AvgPool1d::extra_repr() const {
  return "kernel_size=" + tuple_text(kernel_size) + ", stride=" + tuple_text(stride) +
         ", padding=" + tuple_text(padding);
}

namespace {

/// Returns the options of the functions over two and three dimensions.
template <class L> functional::AvgPool2dFuncOptions avg_options(const L& m) {
  return {.stride = m.stride,
          .padding = m.padding,
          .ceil_mode = m.ceil_mode,
          .count_include_pad = m.count_include_pad,
          .divisor_override = m.divisor_override};
}

template <class L> constexpr ModuleSchema avg_pool_schema(std::string_view name) {
  return layer_schema<L>(
      name, "pooling",
      "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None",
      [](const Arguments& a) {
        return L(a.sizes("kernel_size"),
                 {.stride = a.optional_sizes("stride"),
                  .padding = a.sizes("padding"),
                  .ceil_mode = a.flag("ceil_mode"),
                  .count_include_pad = a.flag("count_include_pad"),
                  .divisor_override = a.optional_integer("divisor_override")});
      },
      [](const L& m) -> Values {
        return {sizes_value(m.kernel_size),
                sizes_value(m.stride),
                sizes_value(m.padding),
                m.ceil_mode,
                m.count_include_pad,
                Convert<std::optional<std::int64_t>>::to(m.divisor_override)};
      });
}

}  // namespace

Tensor AvgPool1d::forward(const Tensor& input) const {
  return functional::avg_pool1d(input, kernel_size,
                                {.stride = stride,
                                 .padding = padding,
                                 .ceil_mode = ceil_mode,
                                 .count_include_pad = count_include_pad});
}
Tensor AvgPool2d::forward(const Tensor& input) const {
  return functional::avg_pool2d(input, kernel_size, avg_options(*this));
}
Tensor AvgPool3d::forward(const Tensor& input) const {
  return functional::avg_pool3d(input, kernel_size, avg_options(*this));
}

const ModuleSchema& module_schema(const AvgPool1d*) {
  static constexpr ModuleSchema schema = layer_schema<AvgPool1d>(
      "AvgPool1d", "pooling",
      "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True",
      [](const Arguments& a) {
        return AvgPool1d(a.sizes("kernel_size"),
                         {.stride = a.optional_sizes("stride"),
                          .padding = a.sizes("padding"),
                          .ceil_mode = a.flag("ceil_mode"),
                          .count_include_pad = a.flag("count_include_pad")});
      },
      [](const AvgPool1d& m) -> Values {
        return {tuple_value(m.kernel_size), tuple_value(m.stride), tuple_value(m.padding),
                m.ceil_mode, m.count_include_pad};
      });
  return schema;
}
TAPER_MODULE_SCHEMA(AvgPool2d, avg_pool_schema)
TAPER_MODULE_SCHEMA(AvgPool3d, avg_pool_schema)

}  // namespace taper::nn
