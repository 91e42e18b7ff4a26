// Caching CPU allocator: 64-byte aligned blocks, cached by size class.
#pragma once
#include <cstddef>

#include "taper/core/memory.h"

namespace taper::cpu_allocator {

/// Allocates a block of at least `bytes` bytes. Sets `capacity`, which must be passed to `release`.
/// Throws OutOfMemoryError if the limit of set_limit would be exceeded or if the operating system
/// returns no memory.
std::byte* allocate(std::size_t bytes, std::size_t& capacity);
void release(std::byte* block, std::size_t capacity) noexcept;
memory::Stats stats();
void reset_peak();
void empty_cache();
void set_limit(std::size_t bytes);

}  // namespace taper::cpu_allocator
