#include "image_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "taper/core/factory.h"
#include "taper/data/image.h"

namespace training {
namespace {

/// Returns value * share / max, rounded.
std::uint32_t scale(std::uint64_t value, std::uint64_t share, std::uint64_t max) {
  return static_cast<std::uint32_t>((value * share + max / 2) / max);
}

std::uint8_t to_gray(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return static_cast<std::uint8_t>((299 * r + 587 * g + 114 * b + 500) / 1000);
}

/// Converts planes of RGB and alpha, with values 0 to `max`, to planes of `channels`.
template <class T>
std::vector<std::uint8_t> composite_on_black(std::span<const T> rgba, std::size_t channels) {
  constexpr std::uint64_t kMax = std::numeric_limits<T>::max();
  const std::size_t area = rgba.size() / 4;
  std::vector<std::uint8_t> planes(area * channels);
  for (std::size_t i = 0; i < area; ++i) {
    std::array<std::uint32_t, 3> color{};
    for (std::size_t c = 0; c < 3; ++c)
      color[c] = scale(scale(rgba[c * area + i], rgba[3 * area + i], kMax), 255, kMax);
    if (channels == 1)
      planes[i] = to_gray(color[0], color[1], color[2]);
    else
      for (std::size_t c = 0; c < 3; ++c)
        planes[c * area + i] = static_cast<std::uint8_t>(color[c]);
  }
  return planes;
}

}  // namespace

taper::Tensor read_image(const std::string& path, int channels) {
  const taper::Tensor rgba =
      taper::data::read_image(path, taper::data::ImageReadMode::rgb_alpha, true);
  const auto count = static_cast<std::size_t>(channels);
  const std::vector<std::uint8_t> planes =
      rgba.dtype() == taper::DType::u8 ? composite_on_black(rgba.data<std::uint8_t>(), count)
                                       : composite_on_black(rgba.data<std::uint16_t>(), count);
  return taper::tensor(std::span(planes), taper::Shape{channels, rgba.size(1), rgba.size(2)});
}

bool is_image_name(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return false;
  std::string end = path.substr(dot + 1);
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array kExtensions = {"jpg", "jpeg", "png", "pbm", "pgm", "ppm", "pnm"};
  return std::find(kExtensions.begin(), kExtensions.end(), end) != kExtensions.end();
}

}  // namespace training
