#include "taper/nn/adaptive_pooling.h"

#include "nn/layers/adaptive_size.h"
#include "nn/layers/indexed_pool.h"
#include "nn/registry/schema.h"

namespace taper::nn {
namespace {

template <class L> constexpr ModuleSchema adaptive_avg_pool_schema(std::string_view name) {
  return layer_schema<L>(
      name, "pooling", "output_size",
      [](const Arguments& a) { return L(adaptive_size(a["output_size"])); },
      [](const L& m) -> Values { return {adaptive_value(m.output_size)}; });
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

}  // namespace

std::string AdaptivePoolBase::extra_repr() const { return adaptive_text(output_size); }

TAPER_LAYER_MEMBERS(AdaptiveAvgPool1d)
Tensor AdaptiveAvgPool1d::forward(const Tensor& input) const {
  return functional::adaptive_avg_pool1d(input, output_size);
}
TAPER_MODULE_SCHEMA(AdaptiveAvgPool1d, adaptive_avg_pool_schema)

TAPER_LAYER_MEMBERS(AdaptiveAvgPool2d)
Tensor AdaptiveAvgPool2d::forward(const Tensor& input) const {
  return functional::adaptive_avg_pool2d(input, output_size);
}
TAPER_MODULE_SCHEMA(AdaptiveAvgPool2d, adaptive_avg_pool_schema)

TAPER_LAYER_MEMBERS(AdaptiveAvgPool3d)
Tensor AdaptiveAvgPool3d::forward(const Tensor& input) const {
  return functional::adaptive_avg_pool3d(input, output_size);
}
TAPER_MODULE_SCHEMA(AdaptiveAvgPool3d, adaptive_avg_pool_schema)

TAPER_DETAIL_LAYER_CLASS(AdaptiveMaxPool1d) {}
TAPER_INDEXED_POOL(AdaptiveMaxPool1d, adaptive_max_pool1d, output_size)
TAPER_MODULE_SCHEMA(AdaptiveMaxPool1d, adaptive_max_pool_schema)

TAPER_DETAIL_LAYER_CLASS(AdaptiveMaxPool2d) {}
TAPER_INDEXED_POOL(AdaptiveMaxPool2d, adaptive_max_pool2d, output_size)
TAPER_MODULE_SCHEMA(AdaptiveMaxPool2d, adaptive_max_pool_schema)

TAPER_DETAIL_LAYER_CLASS(AdaptiveMaxPool3d) {}
TAPER_INDEXED_POOL(AdaptiveMaxPool3d, adaptive_max_pool3d, output_size)
TAPER_MODULE_SCHEMA(AdaptiveMaxPool3d, adaptive_max_pool_schema)

}  // namespace taper::nn
