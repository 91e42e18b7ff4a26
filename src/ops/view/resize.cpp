// resize_, and views of the bytes as another dtype.
#include "core/strided.h"
#include "core/strides.h"
#include "core/thread_local_state.h"
#include "ops/forms.h"
#include "ops/promote.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

void change_shape(const Tensor& self, const Shape& size, MemoryFormat format) {
  TensorImpl& t = impl(self);
  if (t.has_grad()) fail<RuntimeError>("resize_: cannot resize variables that require grad");
  if (format == MemoryFormat::preserve)
    fail<RuntimeError>("resize_: unsupported memory format Preserve");
  for (const std::int64_t n : size)
    if (n < 0) fail<ShapeError>("resize_: negative size: got {}", size);
  const Shape strides = strides_in_format(size, size, format);
  const auto extent = storage_extent(size, strides, t.offset);
  std::int64_t bytes = 0;
  if (!extent ||
      __builtin_mul_overflow(*extent, static_cast<std::int64_t>(size_of(t.dtype)), &bytes))
    fail<ShapeError>("resize_: the size in bytes of {} {} exceeds 2^63 - 1", t.dtype, size);
  t.storage->row_major_buffer();  // its channels-last order is that of the old sizes
  if (static_cast<std::size_t>(bytes) > t.storage->bytes())
    t.storage->grow(static_cast<std::size_t>(bytes));
  t.shape = size, t.strides = strides;
  t.contiguous = is_contiguous(size, strides, t.numel);
  t.storage->count_write();
}

/// Converts a number of elements of `from` bytes to one of elements of `to` bytes.
std::int64_t rescale(std::int64_t count, std::int64_t from, std::int64_t to, std::string_view what,
                     DType old_dtype, DType dtype) {
  if (count * from % to != 0)
    fail<ShapeError>(
        "view: self.{} must be divisible by {} to view {} as {} (different element sizes), but got "
        "{}",
        what, to / from, legacy_name(old_dtype), legacy_name(dtype), count);
  return count * from / to;
}

}  // namespace

namespace ops {

const Tensor& ViewMethods::resize_(const Shape& size,
                                   std::optional<MemoryFormat> memory_format) const {
  const Tensor& self = self_of(this);
  change_shape(self, size, memory_format.value_or(MemoryFormat::contiguous));
  return self;
}
const Tensor& ViewMethods::resize_as_(const Tensor& other) const { return resize_(other.shape()); }

Tensor ViewMethods::resize(const Shape& size) const {
  const Tensor& self = self_of(this);
  warn("non-inplace resize is deprecated");
  if (size.numel() != self.numel())
    fail<ShapeError>(
        "resize: requested resize to {} ({} elements in total), but the given tensor has a size of "
        "{} ({} elements). autograd's resize can only change the shape of a given tensor, while "
        "preserving the number of elements.",
        size, size.numel(), self.shape(), self.numel());
  return self.contiguous().view(size);
}
Tensor ViewMethods::resize_as(const Tensor& other) const { return resize(other.shape()); }

Tensor ViewMethods::view(std::same_as<DType> auto dtype) const {
  const Tensor& self = self_of(this);
  if (self.dtype() == dtype) return self.view(self.shape());
  const Tensor source = self.detach();  // not differentiable
  const TensorImpl& t = impl(source);
  const auto from = static_cast<std::int64_t>(size_of(t.dtype)),
             to = static_cast<std::int64_t>(size_of(dtype));
  Shape shape = t.shape, strides = t.strides;
  std::int64_t offset = t.offset;
  if (from != to) {
    const std::string_view old_name = legacy_name(t.dtype), name = legacy_name(dtype);
    if (shape.empty())
      fail<ShapeError>("view: self.dim() cannot be 0 to view {} as {} (different element sizes)",
                       old_name, name);
    const std::size_t last = shape.size() - 1;
    if (strides[last] != 1)
      fail<ShapeError>(
          "view: self.stride(-1) must be 1 to view {} as {} (different element sizes), but got {}",
          old_name, name, strides[last]);
    shape[last] = rescale(shape[last], from, to, "size(-1)", t.dtype, dtype);
    offset = rescale(offset, from, to, "storage_offset()", t.dtype, dtype);
    for (std::size_t d = 0; d < last; ++d)
      strides[d] =
          rescale(strides[d], from, to, "stride(" + std::to_string(d) + ")", t.dtype, dtype);
  }
  t.storage->row_major_buffer();  // its channels-last order is that of elements of the old size
  auto view = Ref<TensorImpl>::adopt(new TensorImpl(t.storage, shape, strides, offset, dtype));
  view->own_version = t.own_version;
  view->inference = t.inference;
  view->base = source.handle();
  return Tensor(std::move(view));
}
template Tensor ViewMethods::view(DType dtype) const;

}  // namespace ops
}  // namespace taper
