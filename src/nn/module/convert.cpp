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

DType checked(DType type) {
  if (!is_floating_point(type))
    fail<TypeError>(
        "nn.Module.to only accepts floating point or complex dtypes, but got desired "
        "dtype=torch.{}",
        type);
  return type;
}

/// Calls f(tensor) for all parameters and buffers of the module and its descendants.
template <class F> void each_tensor(Module& m, F f) {
  m.for_each_parameter(f);
  m.for_each_buffer(f);
}

}  // namespace

Conversion::Conversion(DType type) : dtype(checked(type)) {}
Conversion::Conversion(Device where, DType type) : dtype(checked(type)), device(where) {}
Conversion::Conversion(const Tensor& like) : dtype(checked(like.dtype())), device(like.device()) {}

void Module::convert(const Conversion& to) {
  const auto format = to.options.memory_format;
  each_tensor(*this, [&](const Tensor& t) {
    if (to.device && !to.device->is_meta() && t.device().is_meta())
      fail<NotImplementedError>(
          "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead "
          "of torch.nn.Module.to() when moving module from meta to a different device.");
    if (format) check_format(t, *format);
  });
  convert_tensors([&](const Tensor& t) {
    const DType type = to.dtype && t.is_floating_point() ? *to.dtype : t.dtype();
    const Tensor fresh = to.device ? t.to(*to.device, type) : t.to(type);
    return format ? formatted(fresh, *format) : fresh;
  });
}

void Module::convert_floats(DType dtype) {
  convert_tensors([&](const Tensor& t) { return t.is_floating_point() ? t.to(dtype) : t; });
}

void Module::convert_all(DType dtype) {
  for_each_parameter([&](const Parameter& p) {
    if (p.requires_grad() && !is_floating_point(dtype))
      fail<RuntimeError>(
          "data set to a tensor that requires gradients must be floating point or complex dtype");
  });
  convert_tensors([&](const Tensor& t) { return t.to(dtype); });
}

void Module::convert_to_empty(Device device, bool recurse) {
  const NamedOptions options{.recurse = recurse};
  const auto check = [](const Tensor& t) {
    if (is_lazy(t)) throw_uninitialized(t, "empty_like");
  };
  for_each_parameter(check, options);
  for_each_buffer(check, options);
  convert_tensors([&](const Tensor& t) { return empty_like(t, {.device = device}); }, recurse);
}

void Module::move_to_shared_memory() {
  each_tensor(*this, [](const Tensor& t) {
    if (is_lazy(t))
      fail<RuntimeError>(
          "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
          "initialize the parameters before calling `module.share_memory()`.");
  });
  convert_tensors([](const Tensor& t) {
    memory::share(t);
    return t;
  });
}

}  // namespace taper::nn
