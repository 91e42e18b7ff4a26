// Factories that return a given tensor if it does not have to be converted: as_tensor, asarray.
#include "core/check.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

Tensor converted(const Tensor& x, std::optional<DType> dtype, std::optional<Device> device) {
  return x.to(device.value_or(x.device()), dtype.value_or(x.dtype()));
}

}  // namespace

Tensor as_tensor(const Tensor& data, const TensorOptions& options) {
  const Tensor result = converted(data, options.dtype, options.device);
  if (options.requires_grad && !result.requires_grad()) {
    const Tensor leaf = result.is_same(data) ? data.detach() : result;
    leaf.set_requires_grad();
    return leaf;
  }
  return result;
}

Tensor as_tensor(const NestedList& data, const TensorOptions& options) {
  return tensor(data, options);
}

Tensor asarray(const Tensor& obj, const AsArrayOptions& options) {
  Tensor result = converted(obj, options.dtype, options.device);
  if (result.is_same(obj)) {
    if (options.copy.value_or(false)) result = obj.clone();
  } else if (options.copy && !*options.copy) {
    if (obj.dtype() != result.dtype())
      fail<ValueError>("asarray: can't alias tensor with dtype {} into dtype {}", obj.dtype(),
                       result.dtype());
    fail<ValueError>("asarray: can't alias tensor from device {} to {}", obj.device(),
                     result.device());
  }
  if (!options.requires_grad) return result;
  if (!*options.requires_grad) return result.requires_grad() ? result.detach() : result;
  if (result.requires_grad()) return result;
  const Tensor leaf = result.is_same(obj) ? obj.detach() : result;
  leaf.set_requires_grad();
  return leaf;
}

Tensor asarray(const NestedList& obj, const AsArrayOptions& options) {
  if (options.copy && !*options.copy)
    fail<ValueError>("asarray: can't alias arbitrary sequence into a tensor.");
  return tensor(obj, {.dtype = options.dtype,
                      .device = options.device,
                      .requires_grad = options.requires_grad.value_or(false)});
}

Tensor scalar_tensor(const Scalar& value, const TensorOptions& options) {
  TensorOptions with_dtype = options;
  if (!with_dtype.dtype) with_dtype.dtype = default_dtype();
  return full({}, value, with_dtype);
}

}  // namespace taper
