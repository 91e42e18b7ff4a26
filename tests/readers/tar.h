// tar_archive: builds archives for tests.
#pragma once
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace taper::test {

/// Returns a header block of the ustar format.
inline std::string tar_header(const std::string& name, std::size_t size, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 8, std::string("0000644\0", 8));
  char octal[13];
  std::snprintf(octal, sizeof octal, "%011zo", size);
  block.replace(124, 11, octal, 11);
  block[156] = type;
  block.replace(257, 8,
                std::string("ustar\0"
                            "00",
                            8));
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(octal, sizeof octal, "%06o", sum);
  block.replace(148, 7, std::string(octal, 7));
  return block;
}

/// Returns an entry: header, data and padding.
inline std::string tar_entry(const std::string& name, const std::string& data, char type = '0') {
  std::string entry = tar_header(name, data.size(), type) + data;
  entry.resize((entry.size() + 511) / 512 * 512, '\0');
  return entry;
}

/// Returns an archive of regular files.
inline std::string tar_archive(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  for (const auto& [name, data] : files) archive += tar_entry(name, data);
  return archive + std::string(1024, '\0');
}

}  // namespace taper::test
