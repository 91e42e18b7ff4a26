// Tables by numbers that a file chooses.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/value/payload.h"

namespace taper::io {

/// std::hash leaves numbers as they are, and a file could choose them so that they all collide.
struct SeededHash {
  std::size_t operator()(std::uint64_t index) const noexcept {
    const std::uint64_t x = (index + 1) * value::hash_secret();
    return x ^ x >> 32;
  }
};

}  // namespace taper::io
