// Helpers of factories that compute elements on the host.
#pragma once
#include "core/check.h"
#include "core/element.h"
#include "taper/core/factory.h"

namespace taper::factory {

/// Moves a tensor in host memory to the device of `options`, sets its requires_grad and returns it.
Tensor apply_options(Tensor host, const TensorOptions& options);

/// Returns a contiguous tensor whose element i is `value(i, T{})`, where T is the element type.
/// Elements of a meta tensor are not computed.
template <class F> Tensor make_from_function(const Shape& shape, DType dtype,
                                             const TensorOptions& options, F&& value) {
  if (options.device.value_or(get_default_device()).is_meta())
    return apply_options(new_tensor(shape, dtype, Device::meta()), options);
  Tensor t = new_tensor(shape, dtype, Device::cpu());
  std::byte* data = impl(t).storage->buffer().data;
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    auto* to = reinterpret_cast<T*>(data);
    for (std::int64_t i = 0, n = impl(t).numel; i < n; ++i) to[i] = value(i, type);
  });
  return apply_options(std::move(t), options);
}

}  // namespace taper::factory
