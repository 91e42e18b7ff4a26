#include "core/tensor_impl.h"

#include "core/check.h"
#include "core/strided.h"
#include "core/tensor_annotation.h"
#include "core/thread_local_state.h"

namespace taper {

TensorImpl::TensorImpl(const Shape& sizes, DType type) : shape(sizes), dtype(type) {
  strides.resize(sizes.size());
  const std::int64_t* size = shape.data();
  std::int64_t* stride = strides.data();
  std::int64_t step = 1;
  bool overflow = false, zero = false;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    stride[i] = step;
    if (size[i] <= 0) {
      if (size[i] < 0) fail<ShapeError>("empty: negative size: got {}", sizes);
      zero = true;
    } else {
      overflow |= __builtin_mul_overflow(step, size[i], &step);
    }
  }
  if (overflow) [[unlikely]] {
    static_cast<void>(sizes.numel());
    static_cast<void>(contiguous_strides(sizes));  // strides can overflow even if a size is 0
  }
  numel = zero ? 0 : step;
}

TensorImpl::TensorImpl(Ref<Storage> s, const Shape& sizes, const Shape& steps, std::int64_t start,
                       DType type)
    : storage(std::move(s)), shape(sizes), strides(steps), offset(start), dtype(type) {
  compute_contiguity();
}

TensorImpl::~TensorImpl() {
  if (extra && extra->retains_grad && node) clear_retains_grad(*node, this);
}

AutogradMeta::~AutogradMeta() { remove_annotation(this); }

void TensorImpl::compute_contiguity() {
  contiguous = is_contiguous(shape, strides, numel);
  if (numel < 0) [[unlikely]]
    static_cast<void>(shape.numel());  // throws
}

Ref<TensorImpl> TensorImpl::alias() const {
  return Ref<TensorImpl>::adopt(new TensorImpl(*this, Alias{}));
}

void resolve_channels_last(const TensorImpl& t, const Buffer& buffer, LayoutRequest access,
                           View& view, Shape& scratch) {
  Storage& s = *t.storage;
  const auto size = static_cast<std::int64_t>(size_of(t.dtype));
  std::int64_t start = 0;
  if (access == LayoutRequest::any &&
      s.map_channels_last(t.shape, t.strides, t.offset, scratch, start)) {
    view.strides = &scratch;
    view.data = buffer.data + start * size;
    return;
  }
  view.data = s.row_major_buffer().data + t.byte_offset();
}

bool is_channels_last(const TensorImpl& t) {
  return t.storage->buffer().channels_last && t.shape.size() >= 3 && t.contiguous &&
         t.offset == 0 && t.storage->order_n() == t.shape[0] &&
         t.storage->order_c() == t.shape[1] &&
         static_cast<std::size_t>(t.numel) * size_of(t.dtype) == t.storage->bytes();
}

Tensor new_tensor(const Shape& shape, DType dtype, Device device, PhysicalLayout order) {
  auto t = Ref<TensorImpl>::adopt(new TensorImpl(shape, dtype));
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(t->numel, static_cast<std::int64_t>(size_of(dtype)), &bytes))
    fail<ShapeError>("empty: the size in bytes of {} {} exceeds 2^63 - 1", dtype, shape);
  t->storage = Ref<Storage>::adopt(new Storage(device, static_cast<std::size_t>(bytes)));
  // Only CPU storages implement reordering; data on other devices is row-major.
  if (order == PhysicalLayout::channels_last && t->numel > 0 && device.is_cpu())
    t->storage->set_channels_last(shape[0], shape[1], t->numel / shape[0] / shape[1],
                                  size_of(dtype));
  t->inference = tls.inference;
  return Tensor(std::move(t));
}

Tensor new_strided(const Shape& shape, const Shape& strides, DType dtype, Device device) {
  const auto extent = storage_extent(shape, strides);
  std::int64_t bytes = 0;
  if (!extent || __builtin_mul_overflow(*extent, static_cast<std::int64_t>(size_of(dtype)), &bytes))
    fail<ShapeError>("empty: Storage size calculation overflowed with sizes={} and strides={}",
                     shape, strides);
  auto t = Ref<TensorImpl>::adopt(
      new TensorImpl(Ref<Storage>::adopt(new Storage(device, static_cast<std::size_t>(bytes))),
                     shape, strides, 0, dtype));
  t->inference = tls.inference;
  return Tensor(std::move(t));
}

}  // namespace taper
