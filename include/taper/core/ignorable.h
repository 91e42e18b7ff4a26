// Ignorable: result that may be discarded.
#pragma once
#include <utility>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Result of a function that is also called for its side effect, such as the norm returned by
/// `clip_grad_norm_`. Unlike T, which is [[nodiscard]], it may be discarded.
template <class T> class Ignorable : public T {
 public:
  Ignorable(T result) noexcept : T(std::move(result)) {}
};

}  // namespace taper
