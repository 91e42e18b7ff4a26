// Reader of untrusted zip archives: checks every offset and size against the file.
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
    std::uint64_t packed = 0, bytes = 0, header_offset = 0, payload_offset = 0;
    std::uint32_t checksum = 0;
    bool deflated = false;
  };

  /// Reads the directory and checks the header of each record. Throws LoadError if the archive is
  /// invalid.
  explicit ZipReader(LoadContext& context);
  /// Returns the entries in directory order. The list is never empty.
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const { return find(name, value::hash_string(name)); }
  /// Returns the contents of a record, inflated into `buffer` if it is compressed.
  std::span<const std::byte> bytes(const Entry& e, std::vector<std::byte>& buffer) const;
  /// Returns the contents of a record as a tensor of shape (count), with reversed byte order if
  /// `swap` is true. The record must have the size of `count` elements.
  Tensor elements(const Entry& e, std::int64_t count, DType dtype, bool swap) const;
  /// Throws LoadError if a record does not match its checksum. A checksum of 0 is not verified: the
  /// file was written without checksums.
  void verify() const;
  /// As LoadContext::reject.
  template <class... A>
  [[noreturn]] void reject(fmt::format_string<FormatArg<A>...> form, const A&... args) const {
    context_.reject(form, args...);
  }
  LoadContext& context() const { return context_; }

 private:
  template <std::size_t Bytes> std::uint64_t read_uint(std::uint64_t at) const;
  std::uint64_t read_entry(std::uint64_t at, std::uint64_t end);
  const Entry* find(std::string_view name, std::size_t hash) const;
  void check_local_headers();
  void check_local_header(Entry& e) const;
  void check_overlaps() const;
  void inflate(const Entry& e, std::span<std::byte> to) const;

  LoadContext& context_;
  std::span<const std::byte> file_;
  std::uint64_t directory_ = 0;
  std::vector<Entry> entries_;
  OpenHashIndex by_name_;
};

}  // namespace taper::io
