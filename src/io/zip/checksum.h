// The checksum of zip records.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace taper::io {

/// CRC-32 of the bytes; `before`: of those that came before them.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace taper::io
