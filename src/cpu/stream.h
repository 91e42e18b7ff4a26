// Stores of large outputs that bypass the cache.
#pragma once
#include <cstddef>

namespace taper::cpu {

/// Minimum size in bytes of an output that bypasses the cache. Smaller outputs are mostly read from
/// the last-level cache by the next op. Larger ones would evict its other inputs, and a cached
/// store reads each line from memory before it is overwritten.
constexpr std::size_t kMinStreamedBytes = std::size_t{12} << 20;

/// Copies `bytes` bytes to `to`, bypassing the cache, from memory that should be in the first-level
/// cache. Call `finish_stream_copies` before other threads read the copy.
void stream_copy(void* to, const void* from, std::size_t bytes);

/// Orders the stores of previous stream_copy calls of this thread before its later stores.
void finish_stream_copies();

}  // namespace taper::cpu
