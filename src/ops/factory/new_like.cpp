// Factories with the dtype and device of a tensor.
#include "ops/forms.h"
#include "taper/core/factory.h"

namespace taper::ops {
namespace {

TensorOptions options_of(const Tensor& x, TensorOptions options) {
  if (!options.dtype) options.dtype = x.dtype();
  if (!options.device) options.device = x.device();
  return options;
}

}  // namespace

Tensor ScatterMethods::new_empty(const Shape& size, const TensorOptions& options) const {
  return empty(size, options_of(self_of(this), options));
}
Tensor ScatterMethods::new_empty_strided(const Shape& size, const Shape& stride,
                                         const TensorOptions& options) const {
  return empty_strided(size, stride, options_of(self_of(this), options));
}
Tensor ScatterMethods::new_zeros(const Shape& size, const TensorOptions& options) const {
  return zeros(size, options_of(self_of(this), options));
}
Tensor ScatterMethods::new_ones(const Shape& size, const TensorOptions& options) const {
  return ones(size, options_of(self_of(this), options));
}
Tensor ScatterMethods::new_full(const Shape& size, const Scalar& fill_value,
                                const TensorOptions& options) const {
  return full(size, fill_value, options_of(self_of(this), options));
}
Tensor ScatterMethods::new_tensor(const NestedList& data, const TensorOptions& options) const {
  return tensor(data, options_of(self_of(this), options));
}
Tensor ScatterMethods::type_as(const Tensor& other) const { return self_of(this).to(other); }

}  // namespace taper::ops
