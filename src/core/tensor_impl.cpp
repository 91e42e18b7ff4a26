#include "core/tensor_impl.h"

#include "core/ambient.h"
#include "core/check.h"

namespace taper {

TensorImpl::TensorImpl(Ref<Storage> s, const Shape& sizes, DType type)
    : storage(std::move(s)), shape(sizes), dtype(type) {
  strides.resize(sizes.size());
  const std::int64_t* size = shape.data();
  std::int64_t* stride = strides.data();
  // Unsigned: sizes beside a 0 may be of any size.
  std::uint64_t step = 1, count = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    stride[i] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(size[i] > 0 ? size[i] : 1);
    count *= static_cast<std::uint64_t>(size[i]);
  }
  numel = static_cast<std::int64_t>(count);
}

TensorImpl::TensorImpl(Ref<Storage> s, const Shape& sizes, const Shape& steps, std::int64_t start,
                       DType type)
    : storage(std::move(s)), shape(sizes), strides(steps), offset(start), dtype(type) {
  measure();
}

TensorImpl::~TensorImpl() {
  if (extra && extra->retains_grad && node) forget_retained(*node, this);
}

AutogradExtra::~AutogradExtra() = default;

void TensorImpl::measure() {
  contiguous = true;
  std::uint64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != static_cast<std::int64_t>(step)) contiguous = false;
    step *= static_cast<std::uint64_t>(shape[i]);
  }
  numel = static_cast<std::int64_t>(step);
  if (numel == 0) contiguous = true;
}

Ref<TensorImpl> TensorImpl::alias() const {
  auto* t = new TensorImpl(storage, shape, strides, offset, dtype);
  t->own_version = own_version;
  return Ref<TensorImpl>::adopt(t);
}

void resolve_turned(const TensorImpl& t, const Buffer& buffer, Access access, View& view,
                    Shape& scratch) {
  Storage& s = *t.storage;
  const auto size = static_cast<std::int64_t>(size_of(t.dtype));
  std::int64_t start = 0;
  if (access == Access::strided &&
      s.map_channels_last(t.shape, t.strides, t.offset, scratch, start)) {
    view.strides = &scratch;
    view.data = buffer.data + start * size;
    return;
  }
  view.data = s.plain().data + t.offset * size;
}

bool is_channels_last(const TensorImpl& t) {
  return t.storage->buffer().channels_last && t.shape.size() >= 3 && t.contiguous &&
         t.offset == 0 && t.storage->order_n() == t.shape[0] &&
         t.storage->order_c() == t.shape[1] &&
         static_cast<std::size_t>(t.numel) * size_of(t.dtype) == t.storage->bytes();
}

Tensor new_tensor(const Shape& shape, DType dtype, Device device, Order order) {
  std::int64_t n = 1;
  for (std::int64_t d : shape) {
    if (d < 0) fail<ShapeError>("empty: negative size: got {}", shape);
    if (__builtin_mul_overflow(n, d, &n)) n = shape.numel();
  }
  if (n == 0) static_cast<void>(contiguous_strides(shape));  // refuses strides that do not fit
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(n, static_cast<std::int64_t>(size_of(dtype)), &bytes))
    fail<ShapeError>("empty: the size in bytes of {} {} exceeds 2^63 - 1", dtype, shape);
  auto s = Ref<Storage>::adopt(new Storage(device, static_cast<std::size_t>(bytes)));
  // Turning a storage is host code: other devices' data stays in plain order.
  if (order == Order::channels_last && n > 0 && device.is_cpu())
    s->set_channels_last(shape[0], shape[1], n / shape[0] / shape[1], size_of(dtype));
  auto* t = new TensorImpl(std::move(s), shape, dtype);
  t->inference = ambient.inference;
  return Tensor(Ref<TensorImpl>::adopt(t));
}

}  // namespace taper
