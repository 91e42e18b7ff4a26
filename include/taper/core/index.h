// What stands between the brackets of x[{...}].
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// start:stop:step of Python; absent parts are as in Python. The step must be positive.
struct Slice {
  std::optional<std::int64_t> start{}, stop{};
  std::int64_t step = 1;
};
struct Ellipsis {};
/// As many full dimensions as are left over: `...` of Python.
inline constexpr Ellipsis ellipsis{};
struct NewAxis {};
/// A new dimension of size 1: `None` of Python.
inline constexpr NewAxis newaxis{};

/// One entry of an index: an integer, a Slice, `ellipsis`, `newaxis`, an i64 or i32 tensor of
/// indices, or a bool or u8 tensor, a mask that stands for as many dimensions as it has. Integers
/// may be negative (from the back). Index tensors broadcast against each other, and a mask counts
/// as the vectors of indices of its true elements; their common shape takes the place of the
/// dimensions they index if these are neighbours, else it comes first. A 0-dim integer tensor is an
/// integer.
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

  Kind kind() const { return kind_; }
  std::int64_t integer() const { return *slice_.start; }
  const Slice& slice() const { return slice_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  Kind kind_;
  Slice slice_{};
  Tensor tensor_{};
};

}  // namespace taper
