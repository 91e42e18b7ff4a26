#include "core/storage.h"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <mutex>

#include "core/check.h"
#include "core/cpu_allocator.h"
#include "core/device_ops.h"
#include "core/tensor_impl.h"

namespace taper {
namespace {

// Returns the lock of a storage. Reordering and caching are rare, so that all storages can share a
// few locks.
std::mutex& mutex_for(const Storage* s) {
  static std::array<std::mutex, 16> locks;
  return locks[reinterpret_cast<std::uintptr_t>(s) / 64 % locks.size()];
}

template <class T>
void to_row_major(T* to, const T* from, std::int64_t n, std::int64_t c, std::int64_t s) {
  constexpr std::int64_t kTile = 16;
  for (std::int64_t i = 0; i < n; ++i, to += c * s, from += c * s)
    for (std::int64_t c0 = 0; c0 < c; c0 += kTile)
      for (std::int64_t s0 = 0; s0 < s; s0 += kTile)
        for (std::int64_t a = c0; a < std::min(c, c0 + kTile); ++a)
          for (std::int64_t b = s0; b < std::min(s, s0 + kTile); ++b)
            to[a * s + b] = from[b * c + a];
}

}  // namespace

Storage::Storage(Device device, std::size_t bytes) : device_(device), bytes_(bytes) {
  if (device.is_cpu())
    initial_.data = cpu_allocator::allocate(bytes, initial_.capacity);
  else if (!device.is_meta())
    initial_.data = device_ops(device).allocate(device.index(), bytes, initial_.capacity);
}

Storage::Storage(std::byte* data, std::size_t bytes, Device device, Ref<ExternalOwner> owner,
                 bool exposed)
    : device_(device), exposed_(exposed), bytes_(bytes), owner_(std::move(owner)) {
  initial_.data = data;
}

void Storage::release(const Buffer& buffer) {
  if (buffer.capacity && device_.is_cpu())
    cpu_allocator::release(buffer.data, buffer.capacity);
  else if (buffer.capacity)
    device_ops(device_).release(device_.index(), buffer.data, buffer.capacity);
}

Storage::~Storage() {
  release(initial_);
  release(row_major_);
  if (shared_.capacity) munmap(shared_.data, shared_.capacity);
  delete cache_;
}

void Storage::set_channels_last(std::int64_t n, std::int64_t c, std::int64_t spatial,
                                std::size_t element) {
  if (c == 1 || spatial == 1) return;  // the two orders are the same
  n_ = n, c_ = c, spatial_ = spatial;
  element_size_ = static_cast<std::uint8_t>(element);
  initial_.channels_last = true;
}

bool Storage::map_channels_last(const Shape& shape, const Shape& strides, std::int64_t offset,
                                Shape& physical, std::int64_t& start) const {
  const std::int64_t plane = c_ * spatial_;
  const std::int64_t n0 = offset / plane, c0 = offset % plane / spatial_, s0 = offset % spatial_;
  std::int64_t n_last = n0, c_last = c0, s_last = s0;
  physical.resize(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t dn = strides[i] / plane, dc = strides[i] % plane / spatial_,
                       ds = strides[i] % spatial_, steps = shape[i] - 1;
    if (steps < 0) continue;
    n_last += steps * dn, c_last += steps * dc, s_last += steps * ds;
    physical[i] = dn * plane + ds * c_ + dc;
  }
  start = n0 * plane + s0 * c_ + c0;
  return n_last < n_ && c_last < c_ && s_last < spatial_;
}

const Buffer& Storage::row_major_buffer() {
  const Buffer* b = current_.load(std::memory_order_acquire);
  if (!b->channels_last) return *b;
  std::lock_guard lock(mutex_for(this));
  b = current_.load(std::memory_order_relaxed);
  if (!b->channels_last) return *b;
  row_major_.data = device_ops(device_).allocate(device_.index(), bytes_, row_major_.capacity);
  const void* from = b->data;
  void* to = row_major_.data;
  switch (element_size_) {
    case 8:
      to_row_major(static_cast<std::uint64_t*>(to), static_cast<const std::uint64_t*>(from), n_, c_,
                   spatial_);
      break;
    case 4:
      to_row_major(static_cast<std::uint32_t*>(to), static_cast<const std::uint32_t*>(from), n_, c_,
                   spatial_);
      break;
    case 2:
      to_row_major(static_cast<std::uint16_t*>(to), static_cast<const std::uint16_t*>(from), n_, c_,
                   spatial_);
      break;
    default:
      to_row_major(static_cast<std::uint8_t*>(to), static_cast<const std::uint8_t*>(from), n_, c_,
                   spatial_);
      break;
  }
  counters::activation_reorders.fetch_add(1, std::memory_order_relaxed);
  current_.store(&row_major_, std::memory_order_release);
  return row_major_;
}

void Storage::share_memory() {
  if (!device_.is_cpu() || shared_.capacity || bytes_ == 0) return;
  const Buffer& now = expose();  // writes by other processes cannot be counted
  void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    fail<OutOfMemoryError>("share_memory: cannot allocate {} bytes of shared memory", bytes_);
  std::memcpy(p, now.data, bytes_);
  shared_ = {static_cast<std::byte*>(p), bytes_, false};
  current_.store(&shared_, std::memory_order_release);
}

void Storage::grow(std::size_t bytes) {
  if (owner_ || shared_.capacity)
    fail<RuntimeError>("resize_: Trying to resize storage that is not resizable");
  Storage larger(device_, bytes);
  const Buffer& now = row_major_buffer();
  if (device_.is_cpu() && bytes_ > 0)
    std::memcpy(larger.initial_.data, now.data, bytes_);
  else if (!device_.is_meta() && bytes_ > 0)
    device_ops(device_).copy_within(device_.index(), larger.initial_.data, device_.index(),
                                    now.data, bytes_);
  release(row_major_);
  row_major_ = {};
  std::swap(initial_, larger.initial_);  // the destructor of `larger` releases the old memory
  current_.store(&initial_, std::memory_order_release);
  bytes_ = bytes;
}

Ref<StorageCacheEntry> Storage::cached(std::uint64_t key) {
  if (exposed()) return {};
  std::lock_guard lock(mutex_for(this));
  if (cache_)
    for (const CacheSlot& k : *cache_)
      if (k.key == key && k.writes == writes()) return k.entry;
  return {};
}

void Storage::set_cached(std::uint64_t key, std::uint64_t writes, Ref<StorageCacheEntry> entry) {
  if (exposed()) return;
  std::lock_guard lock(mutex_for(this));
  if (!cache_) cache_ = new std::vector<CacheSlot>;
  std::erase_if(*cache_, [&](const CacheSlot& k) { return k.key == key || k.writes != writes; });
  cache_->push_back({key, writes, std::move(entry)});
}

namespace memory {
void share(const Tensor& t) { impl(t).storage->share_memory(); }

Reorders reorders() {
  return {counters::activation_reorders.load(), counters::weight_packings.load()};
}
void reset_reorders() { counters::activation_reorders = 0, counters::weight_packings = 0; }
}  // namespace memory

}  // namespace taper
