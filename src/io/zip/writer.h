// Zip archives as PyTorch lays them out: stored records, payloads at multiples of 64 bytes, and
// checksums behind them, so that a payload is read once.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/write/output.h"

namespace taper::io {

inline constexpr std::size_t kAlignment = 64;

class ZipWriter {
 public:
  /// `folder`: the one folder that all records lie in.
  ZipWriter(Output& out, std::string folder) : out_(out), folder_(std::move(folder)) {}
  void add(const std::string& name, std::span<const std::byte> content);
  /// Writes the directory, after a last record with a number made of the names and checksums of
  /// the others; nothing may be added afterwards.
  void finish();

 private:
  struct Entry {
    std::string name;  // in the folder
    std::uint32_t crc;
    std::uint64_t bytes, offset;
    std::string zip64() const;  ///< the extra field with what 32 bits do not hold
  };
  std::size_t long_name(const Entry& e) const { return folder_.size() + 1 + e.name.size(); }
  void write(std::string bytes) {
    out_.write(bytes.data(), bytes.size());
    buffer_ = std::move(bytes);
  }
  std::string serialization_id() const;

  Output& out_;
  std::string folder_, buffer_;
  std::vector<Entry> entries_;
};

}  // namespace taper::io
