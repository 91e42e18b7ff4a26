// read_bytes, write_bytes: whole files as strings.
#pragma once
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace taper::test {

/// Returns the contents of a file; an empty string if it cannot be opened.
inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Creates or replaces a file.
inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace taper::test
