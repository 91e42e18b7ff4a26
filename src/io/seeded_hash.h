#pragma once
#include <cstddef>
#include <cstdint>

#include "core/value/payload.h"

namespace taper::io {

/// Hash for integers that are read from a file. std::hash is the identity for integers, so that a
/// file could choose keys that all collide.
struct SeededHash {
  std::size_t operator()(std::uint64_t index) const noexcept {
    const std::uint64_t x = (index + 1) * value::hash_secret();
    return x ^ x >> 32;
  }
};

}  // namespace taper::io
