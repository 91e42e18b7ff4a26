// Activations [N, C, spatial...] of f32 in dense channels-last order, for kernels that want them
// so.
#pragma once
#include <optional>

#include "backend/scratch.h"
#include "core/tensor_impl.h"

namespace taper::kernel {

/// Whether the elements lie channels-last without gaps. With one channel or one place that is
/// row-major order too.
bool is_dense_channels_last(const View& v);

bool is_dense_plain(const View& v);
/// Whether an op on this tensor had better give its result channels-last.
bool lies_channels_last(const TensorImpl& t);

/// The elements of a view where they lie if they lie well, else a copy. Copies that turn one order
/// into the other are counted as reorders.
class Arranged {
 public:
  /// A copy that is kept stays beside the storage until that is written or dies, so that the
  /// backward pass finds it again.
  enum class Copy { temporary, kept };
  Arranged(const View& v, Order order, Copy copy = Copy::temporary);
  template <class T> const T* as() const { return reinterpret_cast<const T*>(data_); }

 private:
  const std::byte* data_ = nullptr;
  std::optional<backend::Scratch> scratch_;
  Ref<Packed> kept_;
};

/// A number that tells views of one storage apart: `kind`, place, sizes, strides.
std::uint64_t view_key(const View& v, std::uint64_t kind);

}  // namespace taper::kernel
