// View: the operand of a kernel. Kernels do not depend on the Tensor class.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/strided.h"
#include "taper/core/dtype.h"
#include "taper/core/shape.h"

namespace taper {

class Storage;

/// Elements of a tensor as the operand of a kernel: a pointer and physical strides, in elements.
struct View {
  std::byte* data = nullptr;
  const Shape* shape = nullptr;
  const Shape* strides = nullptr;
  std::int64_t numel = 0;
  DType dtype = DType::f32;
  Storage* storage = nullptr;  ///< null for an operand that is a number
};

/// Returns `v` expanded to the shape `to`, with stride 0 in the broadcast dimensions. `strides`
/// receives the strides of the result; `to` and `strides` must outlive it.
inline View expand_view(const View& v, const Shape& to, Shape& strides) {
  View expanded = v;
  strides.resize(to.size());
  const std::size_t lead = to.size() - v.shape->size();
  expanded.numel = 1;
  for (std::size_t d = 0; d < to.size(); ++d) {
    strides[d] = d < lead || (*v.shape)[d - lead] != to[d] ? 0 : (*v.strides)[d - lead];
    expanded.numel *= to[d];
  }
  expanded.shape = &to, expanded.strides = &strides;
  return expanded;
}

inline bool is_contiguous(const View& v) { return is_contiguous(*v.shape, *v.strides); }
inline std::int64_t extent_of(const View& v) { return extent_of(*v.shape, *v.strides); }

}  // namespace taper
