// Reading of memory that may not be mapped.
#pragma once
#include <cstddef>

namespace taper {

/// Copies `size` bytes at `from` to `to` and returns true; returns false if they cannot be read, or
/// if the system does not support this. Bytes that were never initialized are not an error of
/// memory checkers.
bool safe_read(const void* from, void* to, std::size_t size) noexcept;

}  // namespace taper
