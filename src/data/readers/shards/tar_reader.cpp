#include "data/readers/shards/tar_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/text.h"

namespace taper::data {
namespace {

/// Names and pax records of one entry may have this many bytes.
constexpr std::uint64_t kMaxMetadata = 1 << 20;

std::string_view until_zero(std::string_view field) { return field.substr(0, field.find('\0')); }

/// Parses a number of a header: octal digits, or a big-endian integer that is marked by the highest
/// bit of its first byte.
std::optional<std::uint64_t> parse_tar_number(std::string_view field) {
  if (static_cast<unsigned char>(field[0]) == 0x80) {
    std::uint64_t value = 0;
    for (const char c : field.substr(1)) {
      if (value >> 55) return {};
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  std::string_view digits = until_zero(field);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '7') return {};
    value = value << 3 | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

/// Returns true if the stored checksum is that of the header, with bytes as unsigned or signed.
bool has_valid_checksum(std::string_view block) {
  constexpr std::size_t kAt = 148, kSize = 8;
  const auto stored = parse_tar_number(block.substr(kAt, kSize));
  std::int64_t unsigned_sum = 0, signed_sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const char c = i >= kAt && i < kAt + kSize ? ' ' : block[i];
    unsigned_sum += static_cast<unsigned char>(c);
    signed_sum += static_cast<signed char>(c);
  }
  return stored && (static_cast<std::int64_t>(*stored) == unsigned_sum ||
                    static_cast<std::int64_t>(*stored) == signed_sum);
}

std::uint64_t padding_of(std::uint64_t size, std::uint64_t block) {
  return (block - size % block) % block;
}

}  // namespace

struct TarReader::Header {
  std::string name;
  char type = '\0';
  std::uint64_t size = 0;
};

void TarReader::fail_truncated(std::string_view part) const {
  file_.fail("truncated archive: the file ends in {} at byte {}", part, position_);
}

/// Reads the next header block. Returns nullopt at the end marker.
std::optional<TarReader::Header> TarReader::read_header() {
  char bytes[kBlock];
  const std::uint64_t at = position_;
  const std::size_t got = file_.read(bytes, kBlock);
  position_ += got;
  const std::string_view block(bytes, kBlock);
  if (got == 0 && at == 0) file_.fail("the file is empty");
  if (got == 0) file_.fail("truncated archive: the end marker is missing at byte {}", at);
  if (got < kBlock) {
    if (at == 0) file_.fail("not a tar archive: the file has {} bytes", got);
    fail_truncated("a header");
  }
  if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) return {};
  if (!has_valid_checksum(block)) {
    if (at == 0 && block.starts_with("BZh"))
      file_.fail("compression with bzip2 is not supported, expected tar or tar.gz");
    if (at == 0 && block.starts_with("\xfd"
                                     "7zXZ"))
      file_.fail("compression with xz is not supported, expected tar or tar.gz");
    if (at == 0 && block.starts_with("\x28\xb5\x2f\xfd"))
      file_.fail("compression with zstd is not supported, expected tar or tar.gz");
    file_.fail("{}: invalid checksum of the header at byte {}",
               at == 0 ? "not a tar archive" : "damaged archive", at);
  }
  Header header;
  header.name = until_zero(block.substr(0, 100));
  header.type = block[156];
  const std::string_view prefix = until_zero(block.substr(345, 155));
  constexpr std::string_view kUstar("ustar\0", 6);
  if (block.substr(257, 6) == kUstar && !prefix.empty())
    header.name = std::string(prefix) + "/" + header.name;
  const auto size = parse_tar_number(block.substr(124, 12));
  if (!size) file_.fail("damaged archive: invalid size in the header at byte {}", at);
  header.size = *size;
  return header;
}

void TarReader::skip(std::uint64_t bytes) {
  char discarded[8 * kBlock];
  while (bytes > 0) {
    const std::size_t part = std::min<std::uint64_t>(bytes, sizeof discarded);
    const std::size_t got = file_.read(discarded, part);
    position_ += got;
    if (got < part) fail_truncated("an entry");
    bytes -= part;
  }
}

void TarReader::skip_rest() {
  skip(std::exchange(remaining_, 0));
  skip(std::exchange(padding_, 0));
}

/// Reads the data of an entry that describes the next one.
std::string TarReader::read_metadata(std::uint64_t size) {
  if (size > kMaxMetadata)
    file_.fail("name or pax header at byte {} is too large: got {} bytes, expected at most {}",
               position_, size, kMaxMetadata);
  std::string data = file_.read_up_to(size);
  position_ += data.size();
  if (data.size() < size) fail_truncated("a name or pax header");
  skip(padding_of(size, kBlock));
  return data;
}

/// Parses records "<length> <key>=<value>\n".
void TarReader::parse_pax(std::string_view records, Attributes& to) const {
  while (!records.empty() && records[0] != '\0') {
    std::size_t length = 0;
    const char* const last = records.data() + records.size();
    const auto [end, error] = std::from_chars(records.data(), last, length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    const bool is_valid = error == std::errc{} && end < last && *end == ' ' &&
                          length > digits + 1 && length <= records.size() &&
                          records[length - 1] == '\n';
    const std::string_view record =
        is_valid ? records.substr(digits + 1, length - digits - 2) : std::string_view();
    const std::size_t equals = record.find('=');
    if (equals == record.npos)
      file_.fail("damaged archive: invalid pax header before byte {}", position_);
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "path") {
      to.path = value;
    } else if (key == "size") {
      std::uint64_t size = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), size);
      if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size())
        file_.fail("damaged archive: invalid size '{}' in the pax header before byte {}",
                   io::escape_for_message(value), position_);
      to.size = size;
    } else {
      to.is_sparse |= key.starts_with("GNU.sparse.");
    }
    records.remove_prefix(length);
  }
}

std::optional<TarFile> TarReader::next() {
  skip_rest();
  Attributes attributes = global_;
  bool is_described = false;  // by headers before that of the entry
  while (!ended_) {
    auto header = read_header();
    if (!header) {
      if (is_described)
        file_.fail("damaged archive: a name without an entry at byte {}", position_);
      ended_ = true;
      break;
    }
    switch (header->type) {
      case 'L':  // GNU: name of the next entry
        attributes.path = until_zero(read_metadata(header->size));
        is_described = true;
        continue;
      case 'K':  // GNU: target of the next link
        read_metadata(header->size);
        is_described = true;
        continue;
      case 'x':
      case 'X':
        parse_pax(read_metadata(header->size), attributes);
        is_described = true;
        continue;
      case 'g':
        parse_pax(read_metadata(header->size), global_);
        attributes = global_;
        continue;
      default: break;
    }
    TarFile file{attributes.path.value_or(std::move(header->name)),
                 attributes.size.value_or(header->size)};
    const char type = header->type;
    const bool is_directory = type == '5' || (type == '\0' && file.name.ends_with('/'));
    const bool is_file = !is_directory && (type == '0' || type == '\0' || type == '7');
    if (type == 'S' || (is_file && attributes.is_sparse))
      file_.fail("sparse files are not supported: '{}'", io::escape_for_message(file.name));
    // Links, devices and directories do not have data, whatever their size is.
    if (!(type >= '1' && type <= '6') && !is_directory) {
      remaining_ = file.size;
      padding_ = padding_of(file.size, kBlock);
    }
    if (is_file) return file;
    skip_rest();
    attributes = global_;
    is_described = false;
  }
  return {};
}

std::string TarReader::read() {
  const std::uint64_t size = std::exchange(remaining_, 0);
  std::string data = file_.read_up_to(size);
  position_ += data.size();
  if (data.size() < size)
    file_.fail("truncated archive: got {} bytes of an entry of {} at byte {}", data.size(), size,
               position_);
  return data;
}

}  // namespace taper::data
