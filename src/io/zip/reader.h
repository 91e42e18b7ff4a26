// Zip archives as data that nobody vouches for: every number is checked against the bytes there
// are.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/payload.h"
#include "io/load_context.h"
#include "io/open_hash_index.h"

namespace taper::io {

class ZipReader {
 public:
  struct Entry {
    std::string_view name;
    std::uint64_t packed = 0, bytes = 0, head = 0, payload = 0;
    std::uint32_t checksum = 0;
    bool deflated = false;
  };

  /// Reads the directory, and looks at the head of each record. Throws IoError.
  explicit ZipReader(LoadContext& context);
  /// In the order of the directory; never empty.
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const { return find(name, value::hash_text(name)); }
  /// A record's bytes; inflated into `buffer` if they are compressed.
  std::span<const std::byte> bytes(const Entry& e, std::vector<std::byte>& buffer) const;
  /// A record as elements, whose size was compared with it.
  Tensor elements(const Entry& e, std::int64_t count, DType dtype, bool swap) const;
  /// Compares all checksums. Those of a file that was written without are 0.
  void verify() const;
  [[noreturn]] void reject(const std::string& what) const { context_.reject(what); }
  LoadContext& context() const { return context_; }

 private:
  template <std::size_t Bytes> std::uint64_t number(std::uint64_t at) const;
  std::uint64_t read_entry(std::uint64_t at, std::uint64_t end);
  const Entry* find(std::string_view name, std::size_t hash) const;
  void check_heads();
  void check_head(Entry& e) const;
  void check_overlaps() const;
  void inflate(const Entry& e, std::span<std::byte> to) const;

  LoadContext& context_;
  std::span<const std::byte> file_;
  std::uint64_t directory_ = 0;
  std::vector<Entry> entries_;
  OpenHashIndex by_name_;
};

}  // namespace taper::io
