// fill_ and zero_, and the factories built on them.
#include <algorithm>
#include <cstring>

#include "core/number_range.h"
#include "core/strides.h"
#include "cpu/threads.h"
#include "ops/copy/copy_kernel.h"
#include "ops/copy/fill.h"
#include "ops/copy/rows.h"
#include "ops/forms.h"
#include "ops/kernel/reference.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// Fills the new tensor `t` and returns it.
Tensor filled(Tensor t, const Scalar& value, bool requires_grad) {
  {
    NoGrad guard;
    run_inplace(Fill{value}, t);
  }
  impl(t).version().store(0, std::memory_order_relaxed);
  if (requires_grad) t.set_requires_grad();
  return t;
}

Tensor new_filled(const Shape& shape, const Scalar& value, const TensorOptions& o, DType dtype) {
  return filled(new_tensor(shape, o.dtype.value_or(dtype), o.device.value_or(get_default_device())),
                value, o.requires_grad);
}

TensorOptions like_options(const Tensor& like, TensorOptions o) {
  if (!o.dtype) o.dtype = like.dtype();
  if (!o.device) o.device = like.device();
  return o;
}

}  // namespace

template <> void reference_kernel(const Fill& o, const KernelArgs& k) {
  const View& to = k.out[0];
  // Elements that share memory are written once.
  Shape shape = *to.shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if ((*to.strides)[d] == 0 && shape[d] > 1) shape[d] = 1;
  kernel::walk(shape, std::array<const View*, 1>{&to},
               [&](const std::array<std::int64_t, 1>& offsets) {
                 kernel::store(to.data + offsets[0], to.dtype, o.value);
               });
}

template <> bool cpu_kernel(const Fill& o, const KernelArgs& k) {
  const View& to = k.out[0];
  if (to.numel == 0) return true;
  std::byte element[8] = {};
  kernel::store(element, to.dtype, o.value);
  const auto size = static_cast<std::int64_t>(size_of(to.dtype));
  if (extent_of(to) != to.numel) {
    const Shape zeros = Shape::filled(to.shape->size(), 0);
    View from = to;
    from.data = element, from.strides = &zeros;
    return kernel::copy_fast(to, from);
  }
  const bool zero =
      std::all_of(element, element + size, [](std::byte b) { return b == std::byte{}; });
  cpu::parallel_for(0, to.numel, 1 << 16, [&](std::int64_t b, std::int64_t e) {
    if (zero)
      std::memset(to.data + b * size, 0, static_cast<std::size_t>((e - b) * size));
    else
      kernel::copy_row(size_of(to.dtype), to.data + b * size, 1, element, 0, e - b);
  });
  return true;
}

TAPER_DEFINE_OP(fill, Fill);

Tensor operand_number(const Scalar& value, DType dtype, Device device) {
  if (is_in_range(value, dtype)) return full({}, value, {.dtype = dtype, .device = device});
  return full({}, value, {.dtype = value.dtype(), .device = device}).to(dtype);
}

Tensor empty(const Shape& shape, const TensorOptions& o) {
  Tensor t =
      new_tensor(shape, o.dtype.value_or(default_dtype()), o.device.value_or(get_default_device()));
  if (o.requires_grad) t.set_requires_grad();
  return t;
}
Tensor zeros(const Shape& shape, const TensorOptions& o) {
  return new_filled(shape, 0, o, default_dtype());
}
Tensor ones(const Shape& shape, const TensorOptions& o) {
  return new_filled(shape, 1, o, default_dtype());
}
Tensor full(const Shape& shape, const Scalar& value, const TensorOptions& o) {
  return new_filled(shape, value, o, value.is_floating() ? default_dtype() : value.dtype());
}
Tensor empty_like(const Tensor& like, const TensorOptions& o, MemoryFormat format) {
  const TensorOptions options = like_options(like, o);
  if (format == MemoryFormat::contiguous) return empty(like.shape(), options);
  return empty_strided(like.shape(), strides_in_format(like.shape(), like.strides(), format),
                       options);
}
Tensor zeros_like(const Tensor& like, const TensorOptions& o, MemoryFormat format) {
  return full_like(like, 0, o, format);
}
Tensor ones_like(const Tensor& like, const TensorOptions& o, MemoryFormat format) {
  return full_like(like, 1, o, format);
}
Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& o,
                 MemoryFormat format) {
  TensorOptions without_grad = o;
  without_grad.requires_grad = false;
  return filled(empty_like(like, without_grad, format), value, o.requires_grad);
}

namespace ops {
const Tensor& CopyMethods::fill_(const Scalar& value) const {
  return run_inplace(Fill{value}, self_of(this));
}
const Tensor& CopyMethods::fill_(const Tensor& value) const {
  if (value.dim() != 0)
    fail<ShapeError>(
        "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions",
        value.dim());
  return copy_(value);
}
const Tensor& CopyMethods::zero_() const { return fill_(0); }
}  // namespace ops

}  // namespace taper
