#pragma once
#include <cstdint>
#include <string_view>

namespace taper::train::events {

/// Returns the CRC-32C (Castagnoli) of the bytes.
std::uint32_t crc32c(std::string_view bytes);
/// Returns the checksum of TFRecord files: the rotated CRC-32C plus a constant, so that the
/// checksum of data that contain checksums is not degenerate.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace taper::train::events
