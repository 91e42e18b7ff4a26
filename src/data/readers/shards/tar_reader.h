// TarReader: sequential reader of tar archives.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/readers/input_file.h"

namespace taper::data {

/// An entry of an archive that is a regular file.
struct TarFile {
  std::string name;
  std::uint64_t size = 0;
};

/// Reads an archive in the formats ustar, GNU and pax, and in that of Unix V7, optionally
/// compressed with gzip. Directories, links and other special entries are passed over. Memory use
/// does not depend on the size of the archive.
class TarReader {
 public:
  /// Opens the archive. `reader` is the public function for error messages.
  TarReader(std::string reader, std::string path) : file_(std::move(reader), std::move(path)) {}

  /// Moves to the next regular file. Returns nullopt at the end of the archive. Throws IoError if
  /// the archive is damaged or ends without its end marker.
  std::optional<TarFile> next();
  /// Reads the contents of the current file. Throws IoError if they are incomplete.
  std::string read();
  const InputFile& file() const { return file_; }

 private:
  static constexpr std::size_t kBlock = 512;
  struct Header;
  /// Attributes of pax headers that change how an entry is read.
  struct Attributes {
    std::optional<std::string> path{};
    std::optional<std::uint64_t> size{};
    bool is_sparse = false;
  };
  std::optional<Header> read_header();
  std::string read_metadata(std::uint64_t size);
  void parse_pax(std::string_view records, Attributes& to) const;
  void skip(std::uint64_t bytes);
  void skip_rest();
  [[noreturn]] void fail_truncated(std::string_view part) const;

  InputFile file_;
  Attributes global_{};
  std::uint64_t position_ = 0;                 // of the next byte
  std::uint64_t remaining_ = 0, padding_ = 0;  // of the current file
  bool ended_ = false;
};

}  // namespace taper::data
