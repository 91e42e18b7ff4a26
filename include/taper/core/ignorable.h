// Ignorable: result of a function that is called for its effect as well.
#pragma once
#include <utility>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// A tensor or value that is returned beside an effect. Unlike a plain `T`, which is [[nodiscard]],
/// it may be ignored, as the norm that `clip_grad_norm_` returns.
template <class T> class Ignorable : public T {
 public:
  Ignorable(T result) noexcept : T(std::move(result)) {}
};

}  // namespace taper
