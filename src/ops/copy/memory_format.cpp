// Copies and new tensors in a memory format.
#include "core/strides.h"
#include "ops/copy/copy.h"
#include "ops/forms.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

bool has_format(const Tensor& x, MemoryFormat format) {
  return has_strides_of_format(x.shape(), x.strides(), format);
}

Tensor clone_in_format(const Tensor& x, MemoryFormat format) {
  const Shape strides = strides_in_format(x.shape(), x.strides(), format);
  return run(Clone{.stride = strides == contiguous_strides(x.shape()) ? Shape{} : strides}, x);
}

/// Returns `x` if its strides suggest the format, otherwise a copy in the format.
Tensor in_format(const Tensor& x, MemoryFormat format) {
  if (format == MemoryFormat::preserve) return x;
  const Shape strides = strides_in_format(x.shape(), x.strides(), format);  // checks the rank
  const bool is_channels_last = suggests_channels_last_strides(x.shape(), x.strides());
  return is_channels_last == (format != MemoryFormat::contiguous) ? x : clone_in_format(x, format);
}

/// Applies the options that do not concern dtype and device to `result`, a conversion of `x`.
Tensor finish(const Tensor& x, const Tensor& result, const TensorToOptions& o) {
  const Tensor formatted = o.memory_format ? in_format(result, *o.memory_format) : result;
  if (!o.copy || !formatted.is_same(x)) return formatted;
  return clone_in_format(x, o.memory_format.value_or(MemoryFormat::preserve));
}

}  // namespace

Tensor clone(const Tensor& input, MemoryFormat memory_format) { return input.clone(memory_format); }

namespace ops {

Tensor CopyMethods::clone(MemoryFormat memory_format) const {
  return clone_in_format(self_of(this), memory_format);
}

Tensor CopyMethods::contiguous(MemoryFormat memory_format) const {
  const Tensor& self = self_of(this);
  if (has_format(self, memory_format)) return self;
  if (memory_format == MemoryFormat::preserve)
    fail<RuntimeError>(
        "contiguous: preserve memory format is unsupported by the contiguous operator");
  return clone_in_format(self, memory_format);
}

Tensor CopyMethods::to(DType dtype, const TensorToOptions& options) const {
  return finish(self_of(this), to(dtype), options);
}
Tensor CopyMethods::to(Device device, const TensorToOptions& options) const {
  return finish(self_of(this), to(device), options);
}
Tensor CopyMethods::to(Device device, DType dtype, const TensorToOptions& options) const {
  return finish(self_of(this), to(device, dtype), options);
}
Tensor CopyMethods::to(const Tensor& like, const TensorToOptions& options) const {
  return finish(self_of(this), to(like), options);
}
Tensor CopyMethods::to(MemoryFormat memory_format) const {
  return in_format(self_of(this), memory_format);
}
Tensor CopyMethods::to(const TensorToOptions& options) const {
  return finish(self_of(this), self_of(this), options);
}

}  // namespace ops

bool Tensor::is_contiguous(MemoryFormat memory_format) const {
  return has_format(*this, memory_format);
}

Tensor empty(const Shape& shape, const TensorOptions& options, MemoryFormat memory_format) {
  if (memory_format == MemoryFormat::preserve)
    fail<RuntimeError>("empty: unsupported memory format Preserve");
  return empty_strided(shape, strides_in_format(shape, shape, memory_format), options);
}

Tensor empty_strided(const Shape& size, const Shape& stride, const TensorOptions& options) {
  if (size.size() != stride.size())
    fail<ShapeError>(
        "empty_strided: dimensionality of sizes ({}) must match dimensionality of strides ({})",
        size.size(), stride.size());
  for (const std::int64_t n : size)
    if (n < 0) fail<ShapeError>("empty_strided: negative size: got {}", size);
  const Tensor t = new_strided(size, stride, options.dtype.value_or(default_dtype()),
                               options.device.value_or(get_default_device()));
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

}  // namespace taper
