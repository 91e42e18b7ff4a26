// Activations [N, C, spatial...] in dense channels-last order.
#pragma once
#include <optional>

#include "core/tensor_impl.h"
#include "cpu/scratch.h"

namespace taper::kernel {

/// Returns true if the elements are stored channels-last without gaps. With one channel or one
/// position, this is also row-major order.
bool is_dense_channels_last(const View& v);
/// Returns true if an op on this tensor should prefer a channels-last output.
bool suggests_channels_last(const TensorImpl& t);

/// The elements of a view in the requested physical layout: the view's own memory if it has that
/// layout, otherwise a copy. Copies between the two layouts are counted as reorders.
class ViewInLayout {
 public:
  /// Lifetime of the copy. A `cached` copy is stored with the storage until the storage is written
  /// or destroyed, so that backward can reuse it.
  enum class Copy { temporary, cached };
  ViewInLayout(const View& v, PhysicalLayout order, Copy copy = Copy::temporary);
  template <class T> const T* as() const { return reinterpret_cast<const T*>(data_); }

 private:
  const std::byte* data_ = nullptr;
  std::optional<cpu::Scratch> scratch_;
  Ref<StorageCacheEntry> cached_;
};

/// Returns a key that identifies a view within its storage: hash of `kind`, offset, order of the
/// storage, dtype, sizes and strides.
std::uint64_t view_key(const View& v, std::uint64_t kind);

}  // namespace taper::kernel
