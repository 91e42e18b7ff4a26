// Index: an entry of the index expression x[{...}].
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Python's slice start:stop:step, where start and stop are optional. The step must be positive.
struct Slice {
  std::optional<std::int64_t> start{}, stop{};
  std::int64_t step = 1;
};
/// Type of `ellipsis`.
struct Ellipsis {};
/// Type of `newaxis`.
struct NewAxis {};

/// Entry of an index expression: an integer, a Slice, `ellipsis`, `newaxis`, an i64 or i32 tensor
/// of indices, or a bool or u8 mask, which indexes as many dimensions as it has.
///
/// Integers may be negative (from the end). A 0-dimensional integer tensor is equivalent to an
/// integer. A mask is equivalent to the index vectors of its true elements. Index tensors are
/// broadcast against each other; their common shape replaces the dimensions that they index if
/// these are adjacent, and is otherwise prepended.
class Index {
 public:
  enum class Kind : std::uint8_t { integer, slice, ellipsis, newaxis, tensor };
  template <std::integral I>
  requires(!std::same_as<I, bool>) Index(I i)
      : kind_(Kind::integer), slice_{static_cast<std::int64_t>(i), {}, 1} {}
  Index(Slice s) : kind_(Kind::slice), slice_(s) {}
  Index(Ellipsis) : kind_(Kind::ellipsis) {}
  Index(NewAxis) : kind_(Kind::newaxis) {}
  Index(Tensor t) : kind_(Kind::tensor), tensor_(std::move(t)) {}

  /// Returns the kind of the entry.
  Kind kind() const { return kind_; }
  /// Returns the integer of an entry of kind `integer`.
  std::int64_t integer() const { return *slice_.start; }
  /// Returns the slice of an entry of kind `slice`.
  const Slice& slice() const { return slice_; }
  /// Returns the indices or the mask of an entry of kind `tensor`.
  const Tensor& tensor() const { return tensor_; }

 private:
  Kind kind_;
  Slice slice_{};
  Tensor tensor_{};
};

// These follow Index because names of its kinds would shadow them.

/// Python's `...`: as many full slices as required to index all dimensions.
inline constexpr Ellipsis ellipsis{};
/// Python's `None`: inserts a dimension of size 1.
inline constexpr NewAxis newaxis{};

template <std::same_as<Slice> S> IndexProxy Tensor::operator[](const S& slice) const {
  return (*this)[{Index(slice)}];
}

}  // namespace taper
