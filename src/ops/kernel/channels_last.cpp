#include "ops/kernel/channels_last.h"

#include <algorithm>

#include "cpu/threads.h"
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

/// Returns the stride of the merged spatial dimensions, or 0 if they cannot be merged.
std::int64_t spatial_stride(const View& v) {
  std::int64_t step = 0, next = 0;
  for (std::size_t d = v.shape->size(); d-- > 2;) {
    if ((*v.shape)[d] == 1) continue;
    if (step == 0) step = next = (*v.strides)[d];
    if (step == 0 || (*v.strides)[d] != next) return 0;
    next *= (*v.shape)[d];
  }
  return step == 0 ? 1 : step;
}

/// Transposes images from (channels, positions), with positions `step` apart, to (positions,
/// channels).
template <class T> void reorder(const View& v, std::int64_t step, T* to) {
  const std::int64_t channels = (*v.shape)[1], positions = v.numel / (*v.shape)[0] / channels;
  const std::int64_t channel_stride = (*v.strides)[1];
  constexpr std::int64_t kTile = 16, kGrain = 1 << 14;
  const std::int64_t tiles = (positions + kTile - 1) / kTile;  // tiles of one image
  const auto reorder_tiles = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      const std::int64_t s0 = t % tiles * kTile, s1 = std::min(positions, s0 + kTile);
      const T* const from = reinterpret_cast<const T*>(v.data) + t / tiles * (*v.strides)[0];
      T* const image = to + t / tiles * positions * channels;
      for (std::int64_t c0 = 0; c0 < channels; c0 += kTile)
        for (std::int64_t s = s0; s < s1; ++s)
          for (std::int64_t c = c0, c1 = std::min(channels, c0 + kTile); c < c1; ++c)
            image[s * channels + c] = from[c * channel_stride + s * step];
    }
  };
  cpu::parallel_for(0, (*v.shape)[0] * tiles, 1 + kGrain / (kTile * channels), reorder_tiles);
}

void copy_to_layout(const View& v, PhysicalLayout order, std::byte* to) {
  const bool to_channels_last = order == PhysicalLayout::channels_last;
  if (to_channels_last ? is_contiguous(v) : is_dense_channels_last(v))
    counters::activation_reorders.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t step = to_channels_last ? spatial_stride(v) : 0;
  if (step != 0 && size_of(v.dtype) == 4)
    return reorder(v, step, reinterpret_cast<std::uint32_t*>(to));
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
  if (t.shape.size() < 3 || t.numel == 0 || !t.storage->buffer().channels_last) return false;
  Shape physical;
  std::int64_t start = 0;
  return t.storage->map_channels_last(t.shape, t.strides, t.offset, physical, start) &&
         has_dense_channels_last_strides(t.shape, physical);
}

std::uint64_t view_key(const View& v, std::uint64_t kind) {
  KeyMaker key(kind);
  key.mix(v.data - v.storage->buffer().data);
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
