#include "image_file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "core/check.h"
#include "image_formats.h"
#include "taper/core/factory.h"

namespace training {
namespace {

std::vector<unsigned char> read_file_bytes(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    taper::fail<taper::IoError>("{}: is a directory, expected an image", path);
  std::ifstream in(path, std::ios::binary);
  if (!in) taper::fail<taper::IoError>("{}: cannot open the image: {}", path, std::strerror(errno));
  std::vector<unsigned char> bytes;
  constexpr std::size_t kChunkSize = 1u << 16;
  while (in) {
    const std::size_t old_size = bytes.size();
    bytes.resize(old_size + kChunkSize);
    in.read(reinterpret_cast<char*>(bytes.data() + old_size), kChunkSize);
    bytes.resize(old_size + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) taper::fail<taper::IoError>("{}: cannot read the image", path);
  return bytes;
}

std::uint8_t to_gray(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
  return static_cast<std::uint8_t>((299 * r + 587 * g + 114 * b + 500) / 1000);
}

}  // namespace

taper::Tensor read_image(const std::string& path, int channels) {
  const std::vector<unsigned char> bytes = read_file_bytes(path);
  const bool png = bytes.size() >= 8 && std::memcmp(bytes.data(), "\x89PNG\r\n\x1a\n", 8) == 0;
  const bool pnm = bytes.size() >= 2 && bytes[0] == 'P' && std::strchr("2356", bytes[1]);
  if (!png && !pnm) taper::fail<taper::IoError>("{}: not a PNG, PGM or PPM image", path);
  const Pixels p = png ? read_png(bytes, path) : read_pnm(bytes, path);
  const std::size_t area = p.width * p.height;
  std::vector<std::uint8_t> planes(area * static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < area; ++i) {
    const std::uint8_t* const pixel = p.values.data() + i * p.channels;
    if (channels == 1)
      planes[i] = p.channels == 1 ? pixel[0] : to_gray(pixel[0], pixel[1], pixel[2]);
    else
      for (std::size_t c = 0; c < 3; ++c) planes[c * area + i] = pixel[p.channels == 1 ? 0 : c];
  }
  return taper::tensor(std::span<const std::uint8_t>(planes),
                       taper::Shape{channels, static_cast<std::int64_t>(p.height),
                                    static_cast<std::int64_t>(p.width)});
}

bool is_image_name(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return false;
  std::string end = path.substr(dot + 1);
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return end == "png" || end == "pgm" || end == "ppm" || end == "pnm";
}

}  // namespace training
