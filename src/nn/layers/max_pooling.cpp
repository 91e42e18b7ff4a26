#include "taper/nn/max_pooling.h"

#include <type_traits>

#include "nn/layers/indexed_pool.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"

namespace taper::nn {
namespace {

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
        // MaxPool2d prints a list of one number as the number.
        if constexpr (!std::is_same_v<L, MaxPool2d>) layer.one_tuples = one_tuples(a);
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

}  // namespace

MaxPoolBase::MaxPoolBase(const Shape& kernel, const MaxPoolOptions& o)
    : kernel_size(kernel),
      stride(o.stride.value_or(kernel)),
      padding(o.padding),
      dilation(o.dilation),
      return_indices(o.return_indices),
      ceil_mode(o.ceil_mode) {}

MaxPool2dFuncOptions MaxPoolBase::function_options() const {
  return {.stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode};
}

std::string MaxPoolBase::extra_repr() const {
  const auto text = [&](const Shape& list, unsigned bit) {
    return one_tuples >> bit & 1 ? tuple_text(list) : sizes_text(list);
  };
  return "kernel_size=" + text(kernel_size, 0) + ", stride=" + text(stride, 1) +
         ", padding=" + text(padding, 2) + ", dilation=" + text(dilation, 3) +
         ", ceil_mode=" + python_text(ceil_mode);
}

TAPER_DETAIL_LAYER_CLASS(MaxPool1d) {}
TAPER_INDEXED_POOL(MaxPool1d, max_pool1d, kernel_size, function_options())
TAPER_MODULE_SCHEMA(MaxPool1d, max_pool_schema)

TAPER_DETAIL_LAYER_CLASS(MaxPool2d) {}
TAPER_INDEXED_POOL(MaxPool2d, max_pool2d, kernel_size, function_options())
TAPER_MODULE_SCHEMA(MaxPool2d, max_pool_schema)

TAPER_DETAIL_LAYER_CLASS(MaxPool3d) {}
TAPER_INDEXED_POOL(MaxPool3d, max_pool3d, kernel_size, function_options())
TAPER_MODULE_SCHEMA(MaxPool3d, max_pool_schema)

}  // namespace taper::nn
