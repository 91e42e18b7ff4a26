#include "ops/kernel/channels_last.h"

#include "ops/copy/copy_kernel.h"
#include "ops/kernel/view_key.h"

namespace taper::kernel {
namespace {

Shape channels_last_strides(const Shape& shape) {
  Shape strides = shape;
  std::int64_t step = shape[1];
  for (std::size_t d = shape.size(); d-- > 2;) strides[d] = step, step *= shape[d];
  strides[0] = step, strides[1] = 1;
  return strides;
}

void copy_to_layout(const View& v, PhysicalLayout order, std::byte* to) {
  const bool to_channels_last = order == PhysicalLayout::channels_last;
  if (to_channels_last ? is_contiguous(v) : is_dense_channels_last(v))
    counters::activation_reorders.fetch_add(1, std::memory_order_relaxed);
  const Shape strides =
      to_channels_last ? channels_last_strides(*v.shape) : contiguous_strides(*v.shape);
  const View out{to, v.shape, &strides, v.numel, v.dtype, nullptr};
  if (!copy_fast(out, v)) copy_elements(out, v);
}

struct CachedReorder : StorageCacheEntry {
  Storage storage;
  explicit CachedReorder(std::size_t bytes) : storage(Device::cpu(), bytes) {}
  std::byte* data() { return storage.row_major_buffer().data; }
};

bool has_dense_channels_last_strides(const Shape& shape, const Shape& strides) {
  std::int64_t step = 1;
  const auto fits = [&](std::size_t d) {
    const bool ok = shape[d] == 1 || strides[d] == step;
    step *= shape[d];
    return ok;
  };
  bool dense = fits(1);
  for (std::size_t d = shape.size(); d-- > 2;) dense = fits(d) && dense;
  return fits(0) && dense;
}

}  // namespace

bool is_dense_channels_last(const View& v) {
  return v.numel == 0 ||
         (v.shape->size() >= 3 && has_dense_channels_last_strides(*v.shape, *v.strides));
}

bool suggests_channels_last(const TensorImpl& t) {
  if (t.shape.size() < 3 || t.numel == 0) return false;
  // A tensor with such strides, of a storage in row-major order.
  if (!t.storage->buffer().channels_last)
    return t.device().is_cpu() && !(t.strides == contiguous_strides(t.shape)) &&
           has_dense_channels_last_strides(t.shape, t.strides);
  Shape physical;
  std::int64_t start = 0;
  return t.storage->map_channels_last(t.shape, t.strides, t.offset, physical, start) &&
         has_dense_channels_last_strides(t.shape, physical);
}

std::uint64_t view_key(const View& v, std::uint64_t kind) {
  const Buffer& buffer = v.storage->buffer();
  KeyMaker key(kind);
  key.mix(v.data - buffer.data);
  key.mix(buffer.channels_last);  // the same strides select other elements in the other order
  key.mix(static_cast<std::int64_t>(v.dtype));
  for (std::int64_t d : *v.shape) key.mix(d);
  for (std::int64_t d : *v.strides) key.mix(d);
  return key.value();
}

ViewInLayout::ViewInLayout(const View& v, PhysicalLayout order, Copy copy) {
  if (order == PhysicalLayout::channels_last ? is_dense_channels_last(v) : is_contiguous(v)) {
    data_ = v.data;
    return;
  }
  const std::size_t bytes = static_cast<std::size_t>(v.numel) * size_of(v.dtype);
  if (copy == Copy::cached && v.storage && !v.storage->exposed()) {
    const std::uint64_t key = view_key(v, static_cast<std::uint64_t>(order)),
                        writes = v.storage->writes();
    cached_ = v.storage->cached(key);
    if (!cached_) {
      auto entry = Ref<CachedReorder>::adopt(new CachedReorder(bytes));
      copy_to_layout(v, order, entry->data());
      cached_ = Ref<StorageCacheEntry>::share(entry.get());
      v.storage->set_cached(key, writes, cached_);
    }
    data_ = static_cast<CachedReorder&>(*cached_).data();
    return;
  }
  scratch_.emplace(bytes);
  copy_to_layout(v, order, scratch_->as<std::byte>());
  data_ = scratch_->as<std::byte>();
}

}  // namespace taper::kernel
