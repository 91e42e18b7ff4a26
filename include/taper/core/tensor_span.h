// Views of one tensor, or of a list in braces, as a span of tensors.
#pragma once
#include <concepts>
#include <initializer_list>
#include <span>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace detail {

/// A tensor or a list of tensors.
template <class T>
concept TensorOrList =
    std::derived_from<T, Tensor> || std::convertible_to<const T&, std::span<const Tensor>>;

// Return a span that is valid as long as the argument: for a call in the same expression. A
// function with overloads for one tensor and for a list needs one for a list in braces as well:
// `{x}` would otherwise be the tensor.
inline std::span<const Tensor> as_span(const Tensor& tensor) { return {&tensor, 1}; }
inline std::span<const Tensor> as_span(std::initializer_list<Tensor> list) {
  return {list.begin(), list.size()};
}
inline std::span<const Tensor> as_span(std::span<const Tensor> list) { return list; }

}  // namespace detail
}  // namespace taper
