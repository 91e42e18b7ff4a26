#include "train/events/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>

namespace taper::train::events {
namespace {

constexpr std::size_t kSlices = 4;  // bytes per step

/// Tables of the CRC of one byte followed by 0, 1, ... zero bytes.
constexpr auto make_tables() {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bit-reflected
  std::array<std::array<std::uint32_t, 256>, kSlices> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    tables[0][i] = crc;
  }
  for (std::size_t k = 1; k < kSlices; ++k)
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = tables[k - 1][i];
      tables[k][i] = before >> 8 ^ tables[0][before & 255];
    }
  return tables;
}
constexpr auto kTables = make_tables();

constexpr std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  std::size_t i = 0;
  for (; i + kSlices <= bytes.size(); i += kSlices) {
    crc ^= byte_at(bytes, i) | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2) << 16 |
           byte_at(bytes, i + 3) << 24;
    crc = kTables[3][crc & 255] ^ kTables[2][crc >> 8 & 255] ^ kTables[1][crc >> 16 & 255] ^
          kTables[0][crc >> 24];
  }
  for (; i < bytes.size(); ++i) crc = crc >> 8 ^ kTables[0][(crc ^ byte_at(bytes, i)) & 255];
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8;
}

}  // namespace taper::train::events
