#include "taper/nn/adaptive_pooling.h"

#include "nn/layers/adaptive_size.h"
#include "nn/layers/indexed_pool.h"
#include "nn/registry/layer_schema.h"

namespace taper::nn {

template <> struct ArgumentForm<AdaptiveSize> {
  static AdaptiveSize read(const Arguments& a, std::string_view name) {
    return adaptive_size(a[name]);
  }
  static Value value(const AdaptiveSize& stored, bool) { return adaptive_value(stored); }
};

std::string AdaptivePoolBase::extra_repr() const { return adaptive_text(output_size); }

TAPER_LAYER_MEMBERS(AdaptiveAvgPool1d)
Tensor AdaptiveAvgPool1d::forward(const Tensor& input) const {
  return functional::adaptive_avg_pool1d(called(input), output_size);
}
TAPER_SCHEMA(AdaptiveAvgPool1d, "pooling", output_size)

TAPER_LAYER_MEMBERS(AdaptiveAvgPool2d)
Tensor AdaptiveAvgPool2d::forward(const Tensor& input) const {
  return functional::adaptive_avg_pool2d(called(input), output_size);
}
TAPER_SCHEMA(AdaptiveAvgPool2d, "pooling", output_size)

TAPER_LAYER_MEMBERS(AdaptiveAvgPool3d)
Tensor AdaptiveAvgPool3d::forward(const Tensor& input) const {
  return functional::adaptive_avg_pool3d(called(input), output_size);
}
TAPER_SCHEMA(AdaptiveAvgPool3d, "pooling", output_size)

TAPER_DETAIL_LAYER_CLASS(AdaptiveMaxPool1d) {}
TAPER_INDEXED_POOL(AdaptiveMaxPool1d, adaptive_max_pool1d, output_size)
TAPER_OPTIONS_SCHEMA(AdaptiveMaxPool1d, "pooling", output_size)

TAPER_DETAIL_LAYER_CLASS(AdaptiveMaxPool2d) {}
TAPER_INDEXED_POOL(AdaptiveMaxPool2d, adaptive_max_pool2d, output_size)
TAPER_OPTIONS_SCHEMA(AdaptiveMaxPool2d, "pooling", output_size)

TAPER_DETAIL_LAYER_CLASS(AdaptiveMaxPool3d) {}
TAPER_INDEXED_POOL(AdaptiveMaxPool3d, adaptive_max_pool3d, output_size)
TAPER_OPTIONS_SCHEMA(AdaptiveMaxPool3d, "pooling", output_size)

}  // namespace taper::nn
