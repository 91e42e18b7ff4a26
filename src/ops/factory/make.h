// Helpers for factory functions whose elements are computed on the host.
#pragma once
#include "core/check.h"
#include "core/element.h"
#include "cpu/threads.h"
#include "taper/core/factory.h"

namespace taper::factory {

/// Moves a tensor in host memory to the device of `options`, sets its requires_grad and returns it.
Tensor apply_options(Tensor host, const TensorOptions& options);

/// Returns a contiguous tensor whose elements are written by fill(address, begin, end) for ranges
/// of indices, in parallel. Elements of a meta tensor are not computed.
template <class F>
Tensor make_from_ranges(const Shape& shape, DType dtype, const TensorOptions& options, F&& fill) {
  if (options.device.value_or(get_default_device()).is_meta())
    return apply_options(new_tensor(shape, dtype, Device::meta()), options);
  Tensor t = new_tensor(shape, dtype, Device::cpu());
  std::byte* const data = impl(t).storage->buffer().data;
  cpu::parallel_for(0, impl(t).numel, 1 << 14,
                    [&](std::int64_t begin, std::int64_t end) { fill(data, begin, end); });
  return apply_options(std::move(t), options);
}

/// Returns a contiguous tensor whose element i is `value(i, T{})`, where T is the element type. The
/// calls are made in any order, in parallel.
template <class F> Tensor make_from_function(const Shape& shape, DType dtype,
                                             const TensorOptions& options, F&& value) {
  return make_from_ranges(shape, dtype, options,
                          [&](std::byte* data, std::int64_t begin, std::int64_t end) {
                            visit_dtype(dtype, [&](auto type) {
                              auto* const to = reinterpret_cast<decltype(type)*>(data);
                              for (std::int64_t i = begin; i < end; ++i) to[i] = value(i, type);
                            });
                          });
}

}  // namespace taper::factory
