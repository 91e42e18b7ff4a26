#include "ops/cost.h"

#include "core/never_destroyed.h"

namespace taper {
namespace {

/// Returns the view passed to `flops` functions: sizes and logical strides without data.
View make_shape_view(const TensorImpl& t) {
  return {nullptr, &t.shape, &t.strides, t.numel, t.dtype, t.storage.get()};
}
double bytes_of(const TensorImpl& t) {
  return static_cast<double>(t.numel) * static_cast<double>(size_of(t.dtype));
}

}  // namespace

Cost cost_of(const OpDescriptor& descriptor, const void* attributes, std::span<const OpInput> ins,
             std::span<const Tensor> outs) {
  Cost cost;
  if (descriptor.info.view) return cost;
  static const NeverDestroyed<Shape> scalar_shape;
  std::vector<View> in_views, out_views;
  for (const OpInput& i : ins) {
    if (const TensorImpl* t = i.impl()) {
      in_views.push_back(make_shape_view(*t));
      cost.bytes += bytes_of(*t);
    } else {
      in_views.push_back({nullptr, i.scalar ? &*scalar_shape : nullptr, &*scalar_shape, 1,
                          i.scalar ? i.scalar->dtype() : DType::f32, nullptr});
    }
  }
  double elements = 0;
  for (const Tensor& o : outs) {
    if (!o.defined()) {
      out_views.emplace_back();
      continue;
    }
    out_views.push_back(make_shape_view(impl(o)));
    cost.bytes += bytes_of(impl(o));
    elements += static_cast<double>(impl(o).numel);
  }
  cost.flops =
      descriptor.flops ? descriptor.flops(attributes, {in_views, out_views, DType::f32}) : elements;
  return cost;
}

}  // namespace taper
