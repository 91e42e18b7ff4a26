// Zip archives as PyTorch lays them out: stored records, payloads at multiples of 64 bytes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/output.h"

namespace taper::io {

class ZipWriter {
 public:
  /// `folder`: the one folder that all records lie in.
  ZipWriter(Output& file, std::string folder) : file_(file), folder_(std::move(folder)) {}
  void add(const std::string& name, const void* data, std::size_t bytes);
  /// Writes the directory; nothing may be added afterwards.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc;
    std::uint64_t bytes, offset;
  };
  Output& file_;
  std::string folder_;
  std::vector<Entry> entries_;
};

}  // namespace taper::io
