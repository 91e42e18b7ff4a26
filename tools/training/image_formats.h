// Readers of the image formats of read_image.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace training {

/// A decoded image: rows from top to bottom, with interleaved channels.
struct Pixels {
  std::size_t width = 0, height = 0, channels = 1;  ///< `channels` is 1 or 3
  std::vector<std::uint8_t> values{};
};
inline constexpr std::size_t kMaxPixels = std::size_t{1} << 26;

Pixels read_png(std::span<const unsigned char> bytes, const std::string& path);
/// Reads P2, P3, P5 and P6. Values of any depth are scaled to 0 to 255.
Pixels read_pnm(std::span<const unsigned char> bytes, const std::string& path);

}  // namespace training
