// Zip archives as data that nobody vouches for: every number is checked against the bytes there
// are.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace taper::io {

class ZipReader {
 public:
  /// Reads the directory. Throws IoError naming `path`.
  ZipReader(std::span<const std::byte> file, std::string path);
  /// The folder that all records lie in.
  const std::string& folder() const { return folder_; }
  bool has(const std::string& record) const { return entries_.contains(record); }
  std::uint64_t size_of(const std::string& record) const { return entry(record).bytes; }
  /// A record's bytes; inflated into `room` if they are compressed.
  std::span<const std::byte> read(const std::string& record, std::vector<std::byte>& room) const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct Entry {
    std::uint64_t packed = 0, bytes = 0, payload = 0;
    bool deflated = false;
  };
  const Entry& entry(const std::string& record) const;
  std::uint64_t number(std::uint64_t at, int bytes) const;
  void find_directory(std::uint64_t& start, std::uint64_t& size, std::uint64_t& count) const;
  std::uint64_t read_entry(std::uint64_t at, std::uint64_t end);
  void check_local(Entry& e, std::uint64_t offset, const std::string& name, std::uint64_t method,
                   std::uint64_t directory);

  std::span<const std::byte> file_;
  std::string path_, folder_;
  std::uint64_t directory_ = 0;
  std::map<std::string, Entry> entries_;
};

}  // namespace taper::io
