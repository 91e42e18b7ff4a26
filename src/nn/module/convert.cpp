// Conversion of dtype, device and memory format in place.
#include "taper/nn/conversion.h"

#include "core/check.h"
#include "nn/module/extra.h"
#include "nn/module/memory_format.h"
#include "taper/core/detail/uninitialized.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"

namespace taper::nn {
namespace {

DType require_floating_point(DType type) {
  if (!is_floating_point(type))
    fail<TypeError>(
        "nn.Module.to only accepts floating point or complex dtypes, but got desired "
        "dtype=torch.{}",
        type);
  return type;
}

/// Calls f(tensor) for all parameters and buffers of the module and its descendants.
template <class F> void for_each_tensor(Module& m, F f) {
  m.for_each_parameter(f);
  m.for_each_buffer(f);
}

Module& convert_floats(Module& m, DType dtype) {
  m.convert_tensors([&](const Tensor& t) { return t.is_floating_point() ? t.to(dtype) : t; });
  return m;
}

}  // namespace

Conversion::Conversion(DType type) : dtype(require_floating_point(type)) {}
Conversion::Conversion(Device where, DType type)
    : dtype(require_floating_point(type)), device(where) {}
Conversion::Conversion(const Tensor& like)
    : dtype(require_floating_point(like.dtype())), device(like.device()) {}

Module& Module::to(const Conversion& c) {
  const auto format = c.options.memory_format;
  for_each_tensor(*this, [&](const Tensor& t) {
    if (c.device && !c.device->is_meta() && t.device().is_meta())
      fail<NotImplementedError>(
          "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead "
          "of torch.nn.Module.to() when moving module from meta to a different device.");
    if (format) check_memory_format(t, *format);
  });
  convert_tensors([&](const Tensor& t) {
    const DType type = c.dtype && t.is_floating_point() ? *c.dtype : t.dtype();
    const Tensor converted = c.device ? t.to(*c.device, type) : t.to(type);
    return format ? to_memory_format(converted, *format) : converted;
  });
  return *this;
}
Module& Module::to(const Conversion& conversion, const ToOptions& options) {
  return to(conversion.with(options));
}
Module& Module::to(Device device, DType dtype, const ToOptions& options) {
  return to(Conversion(device, dtype).with(options));
}
Module& Module::cpu() { return to(Device::cpu()); }
Module& Module::cuda(int index) { return to(Device::cuda(index)); }

Module& Module::to_float() { return convert_floats(*this, float32); }
Module& Module::to_double() { return convert_floats(*this, float64); }
Module& Module::to_half() { return convert_floats(*this, float16); }
Module& Module::to_bfloat16() { return convert_floats(*this, bfloat16); }

Module& Module::type(DType dtype) {
  for_each_parameter([&](const Parameter& p) {
    if (p.requires_grad() && !is_floating_point(dtype))
      fail<RuntimeError>(
          "data set to a tensor that requires gradients must be floating point or complex dtype");
  });
  convert_tensors([&](const Tensor& t) { return t.to(dtype); });
  return *this;
}

Module& Module::to_empty(Device device, bool recurse) {
  const NamedOptions options{.recurse = recurse};
  const auto check = [](const Tensor& t) {
    if (is_lazy(t)) throw_uninitialized(t, "empty_like");
  };
  for_each_parameter(check, options);
  for_each_buffer(check, options);
  convert_tensors([&](const Tensor& t) { return empty_like(t, {.device = device}); }, recurse);
  return *this;
}

Module& Module::share_memory() {
  for_each_tensor(*this, [](const Tensor& t) {
    if (is_lazy(t))
      fail<RuntimeError>(
          "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
          "initialize the parameters before calling `module.share_memory()`.");
  });
  convert_tensors([](const Tensor& t) {
    memory::share(t);
    return t;
  });
  return *this;
}

}  // namespace taper::nn
