// Schemas of the pooling layers of taper/nn/pooling_nd.h.
#include "nn/layers/adaptive_size.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
#include "taper/nn/pooling_nd.h"

namespace taper::nn {
namespace {

Value optional_sizes_value(const std::optional<Shape>& sizes) {
  return sizes ? sizes_value(*sizes) : Value();
}

/// Returns the bits of MaxPoolBase::one_tuples.
std::uint8_t one_tuples(const Arguments& a) {
  const auto is_one_tuple = [&](std::string_view name) {
    const Value& v = a[name];
    return (v.is_tuple() || v.is_list()) && v.as_sequence().size() == 1;
  };
  const bool kernel = is_one_tuple("kernel_size"),
             stride = a["stride"].is_none() ? kernel : is_one_tuple("stride");
  return static_cast<std::uint8_t>(kernel | stride << 1 | is_one_tuple("padding") << 2 |
                                   is_one_tuple("dilation") << 3);
}

template <class L> constexpr ModuleSchema max_pool_schema(std::string_view name) {
  return layer_schema<L>(
      name, "pooling",
      "kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
      [](const Arguments& a) {
        L layer(a.sizes("kernel_size"), {.stride = a.optional_sizes("stride"),
                                         .padding = a.sizes("padding"),
                                         .dilation = a.sizes("dilation"),
                                         .return_indices = a.flag("return_indices"),
                                         .ceil_mode = a.flag("ceil_mode")});
        layer.one_tuples = one_tuples(a);
        return layer;
      },
      [](const L& m) -> Values {
        const auto value = [&](const Shape& list, unsigned bit) {
          return m.one_tuples >> bit & 1 ? tuple_value(list) : sizes_value(list);
        };
        return {value(m.kernel_size, 0), value(m.stride, 1), value(m.padding, 2),
                value(m.dilation, 3),    m.return_indices,   m.ceil_mode};
      });
}

template <class L> constexpr ModuleSchema adaptive_max_pool_schema(std::string_view name) {
  return layer_schema<L>(
      name, "pooling", "output_size, return_indices=False",
      [](const Arguments& a) {
        return L(adaptive_size(a["output_size"]), {.return_indices = a.flag("return_indices")});
      },
      [](const L& m) -> Values {
        return {adaptive_value(m.output_size), m.return_indices};
      });
}

template <class L> constexpr ModuleSchema lp_pool_schema(std::string_view name) {
  return layer_schema<L>(
      name, "pooling", "norm_type, kernel_size, stride=None, ceil_mode=False",
      [](const Arguments& a) {
        return L(a.scalar("norm_type"), a.sizes("kernel_size"),
                 {.stride = a.optional_sizes("stride"), .ceil_mode = a.flag("ceil_mode")});
      },
      [](const L& m) -> Values {
        return {m.norm_type, sizes_value(m.kernel_size), optional_sizes_value(m.stride),
                m.ceil_mode};
      });
}

template <class L> constexpr ModuleSchema max_unpool_schema(std::string_view name) {
  return layer_schema<L>(
      name, "pooling", "kernel_size, stride=None, padding=0",
      [](const Arguments& a) {
        return L(a.sizes("kernel_size"),
                 {.stride = a.optional_sizes("stride"), .padding = a.sizes("padding")});
      },
      [](const L& m) -> Values {
        return {tuple_value(m.kernel_size), tuple_value(m.stride), tuple_value(m.padding)};
      });
}

std::vector<double> ratios(const Value& value) {
  if (!value.is_list() && !value.is_tuple()) return {value.as_double()};
  std::vector<double> all;
  for (const Value& v : value.as_sequence()) all.push_back(v.as_double());
  return all;
}

template <class L> constexpr ModuleSchema fractional_schema(std::string_view name) {
  return layer_schema<L>(
      name, "pooling",
      "kernel_size, output_size=None, output_ratio=None, return_indices=False, "
      "_random_samples=None",
      [](const Arguments& a) {
        FractionalMaxPoolOptions o{.output_size = a.optional_sizes("output_size"),
                                   .return_indices = a.flag("return_indices")};
        if (!a["output_ratio"].is_none()) o.output_ratio = ratios(a["output_ratio"]);
        if (!a["_random_samples"].is_none()) o._random_samples = a["_random_samples"].as_tensor();
        return L(a.sizes("kernel_size"), o);
      },
      [](const L& m) -> Values {
        Value ratio;
        if (m.output_ratio)
          ratio = Value::tuple(Values(m.output_ratio->begin(), m.output_ratio->end()));
        return {
            tuple_value(m.kernel_size), m.output_size ? tuple_value(*m.output_size) : Value(),
            ratio, m.return_indices,
            m._random_samples ? Value(static_cast<const Tensor&>(*m._random_samples)) : Value()};
      });
}

}  // namespace

const ModuleSchema& module_schema(const MaxPool1d*) {
  static constexpr ModuleSchema schema = max_pool_schema<MaxPool1d>("MaxPool1d");
  return schema;
}
const ModuleSchema& module_schema(const MaxPool3d*) {
  static constexpr ModuleSchema schema = max_pool_schema<MaxPool3d>("MaxPool3d");
  return schema;
}
const ModuleSchema& module_schema(const AdaptiveMaxPool1d*) {
  static constexpr ModuleSchema schema =
      adaptive_max_pool_schema<AdaptiveMaxPool1d>("AdaptiveMaxPool1d");
  return schema;
}
const ModuleSchema& module_schema(const AdaptiveMaxPool2d*) {
  static constexpr ModuleSchema schema =
      adaptive_max_pool_schema<AdaptiveMaxPool2d>("AdaptiveMaxPool2d");
  return schema;
}
const ModuleSchema& module_schema(const AdaptiveMaxPool3d*) {
  static constexpr ModuleSchema schema =
      adaptive_max_pool_schema<AdaptiveMaxPool3d>("AdaptiveMaxPool3d");
  return schema;
}
const ModuleSchema& module_schema(const LPPool1d*) {
  static constexpr ModuleSchema schema = lp_pool_schema<LPPool1d>("LPPool1d");
  return schema;
}
const ModuleSchema& module_schema(const LPPool2d*) {
  static constexpr ModuleSchema schema = lp_pool_schema<LPPool2d>("LPPool2d");
  return schema;
}
const ModuleSchema& module_schema(const LPPool3d*) {
  static constexpr ModuleSchema schema = lp_pool_schema<LPPool3d>("LPPool3d");
  return schema;
}
const ModuleSchema& module_schema(const MaxUnpool1d*) {
  static constexpr ModuleSchema schema = max_unpool_schema<MaxUnpool1d>("MaxUnpool1d");
  return schema;
}
const ModuleSchema& module_schema(const MaxUnpool2d*) {
  static constexpr ModuleSchema schema = max_unpool_schema<MaxUnpool2d>("MaxUnpool2d");
  return schema;
}
const ModuleSchema& module_schema(const MaxUnpool3d*) {
  static constexpr ModuleSchema schema = max_unpool_schema<MaxUnpool3d>("MaxUnpool3d");
  return schema;
}
const ModuleSchema& module_schema(const FractionalMaxPool2d*) {
  static constexpr ModuleSchema schema =
      fractional_schema<FractionalMaxPool2d>("FractionalMaxPool2d");
  return schema;
}
const ModuleSchema& module_schema(const FractionalMaxPool3d*) {
  static constexpr ModuleSchema schema =
      fractional_schema<FractionalMaxPool3d>("FractionalMaxPool3d");
  return schema;
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
const ModuleSchema& module_schema(const AvgPool3d*) {
  static constexpr ModuleSchema schema = layer_schema<AvgPool3d>(
      "AvgPool3d", "pooling",
      "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None",
      [](const Arguments& a) {
        return AvgPool3d(a.sizes("kernel_size"),
                         {.stride = a.optional_sizes("stride"),
                          .padding = a.sizes("padding"),
                          .ceil_mode = a.flag("ceil_mode"),
                          .count_include_pad = a.flag("count_include_pad"),
                          .divisor_override = a.optional_integer("divisor_override")});
      },
      [](const AvgPool3d& m) -> Values {
        return {sizes_value(m.kernel_size),
                sizes_value(m.stride),
                sizes_value(m.padding),
                m.ceil_mode,
                m.count_include_pad,
                Convert<std::optional<std::int64_t>>::to(m.divisor_override)};
      });
  return schema;
}

}  // namespace taper::nn
