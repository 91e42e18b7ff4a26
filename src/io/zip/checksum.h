#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace taper::io {

/// Returns the CRC-32 checksum of the bytes, continuing from `before`, the checksum of the
/// preceding bytes; 0 if there are none.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace taper::io
