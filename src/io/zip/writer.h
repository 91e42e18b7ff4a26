// Writer of zip archives in PyTorch's layout: uncompressed records with payloads at multiples of 64
// bytes. Checksums follow the payloads, so that each payload is read once.
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
  /// Writes all records below the top-level folder `folder`.
  ZipWriter(Output& out, std::string folder) : out_(out), folder_(std::move(folder)) {}
  void add(const std::string& name, std::span<const std::byte> content);
  /// Writes a last record, whose content is an identifier computed from the names and checksums of
  /// the others, and then the directory. No record may be added afterwards.
  void finish();

 private:
  struct Entry {
    std::string name;  // relative to the folder
    std::uint32_t crc;
    std::uint64_t bytes, offset;
    std::string zip64() const;  ///< the extra field with the values that exceed 32 bits
  };
  std::size_t full_name_size(const Entry& e) const { return folder_.size() + 1 + e.name.size(); }
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
