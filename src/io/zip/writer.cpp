#include "io/zip/writer.h"

#include <fmt/core.h>

#include <algorithm>

#include "io/zip/checksum.h"

namespace taper::io {
namespace {

constexpr std::uint64_t kZip64Marker =
    0xffffffffu;                          // marks a field whose value is in the zip64 extra field
constexpr std::uint16_t kFlags = 0x0808;  // UTF-8 names; checksum and sizes follow the data
constexpr std::uint16_t kZip64Version = 45, kUnix = 3 << 8;
constexpr std::size_t kStep = std::size_t{1} << 19;  // bytes per chunk: in the cache until written

/// Builder of a sequence of little-endian fields.
class FieldBuilder {
 public:
  FieldBuilder() = default;
  /// Reuses the memory of `buffer`.
  explicit FieldBuilder(std::string buffer) : bytes_(std::move(buffer)) { bytes_.clear(); }
  FieldBuilder& u16(std::uint64_t v) { return put(v, 2); }
  FieldBuilder& u32(std::uint64_t v) { return put(v, 4); }
  FieldBuilder& u64(std::uint64_t v) { return put(v, 8); }
  FieldBuilder& capped(std::uint64_t v) { return u32(std::min(v, kZip64Marker)); }
  FieldBuilder& text(std::string_view s) {
    bytes_ += s;
    return *this;
  }
  FieldBuilder& fill(std::size_t n, char c) {
    bytes_.append(n, c);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  FieldBuilder& put(std::uint64_t v, int n) {
    for (int i = 0; i < n; ++i) bytes_ += static_cast<char>(v >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

/// Hashes `bytes` into `hash`, with the same result on every platform.
std::uint64_t hash_bytes(std::uint64_t hash, const std::string& bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

}  // namespace

std::string ZipWriter::Entry::zip64() const {
  FieldBuilder zip64_fields;
  if (bytes >= kZip64Marker) zip64_fields.u64(bytes).u64(bytes);
  if (offset >= kZip64Marker) zip64_fields.u64(offset);
  const std::string fields = zip64_fields.take();
  return fields.empty() ? fields : FieldBuilder().u16(1).u16(fields.size()).text(fields).take();
}

void ZipWriter::add(const std::string& name, std::span<const std::byte> content) {
  Entry e{name, 0, content.size(), out_.position()};
  const std::string zip64_fields = e.zip64();
  const std::uint64_t payload = e.offset + 30 + full_name_size(e) + zip64_fields.size() + 4;
  const std::uint64_t pad = (kAlignment - payload % kAlignment) % kAlignment;
  write(FieldBuilder(std::move(buffer_))
            .u32(0x04034b50)
            .u16(0)
            .u16(kFlags)
            .u16(0)
            .u32(0)
            .u32(0)
            .u32(0)
            .u32(0)
            .u16(full_name_size(e))
            .u16(zip64_fields.size() + 4 + pad)
            .text(folder_)
            .text("/")
            .text(e.name)
            .text(zip64_fields)
            .text("FB")
            .u16(pad)
            .fill(pad, 'Z')
            .take());
  for (std::size_t at = 0; at < content.size(); at += kStep) {
    const auto step = content.subspan(at, std::min(kStep, content.size() - at));
    e.crc = checksum(step, e.crc);
    out_.write(step.data(), step.size());
  }
  FieldBuilder sizes;
  if (zip64_fields.empty())
    sizes.u32(e.bytes).u32(e.bytes);
  else
    sizes.u64(e.bytes).u64(e.bytes);
  write(FieldBuilder(std::move(buffer_)).u32(0x08074b50).u32(e.crc).text(sizes.take()).take());
  entries_.push_back(std::move(e));
}

std::string ZipWriter::serialization_id() const {
  constexpr std::uint64_t kSeed = 0xcbf29ce484222325;
  std::uint64_t names = kSeed, contents = kSeed;
  for (const Entry& e : entries_) {
    names = hash_bytes(names, e.name);
    contents = hash_bytes(contents, FieldBuilder().u32(e.crc).take());
  }
  return fmt::format("{:020}{:020}", names, contents);
}

void ZipWriter::finish() {
  const std::string id = serialization_id();
  add(".data/serialization_id", std::as_bytes(std::span(id)));
  const std::uint64_t start = out_.position();
  for (const Entry& e : entries_) {
    const std::string zip64_fields = e.zip64();
    write(FieldBuilder(std::move(buffer_))
              .u32(0x02014b50)
              .u16(0)
              .u16(0)
              .u16(kFlags)
              .u16(0)
              .u32(0)
              .u32(e.crc)
              .capped(e.bytes)
              .capped(e.bytes)
              .u16(full_name_size(e))
              .u16(zip64_fields.size())
              .u16(0)
              .u16(0)
              .u16(0)
              .u32(0)
              .capped(e.offset)
              .text(folder_)
              .text("/")
              .text(e.name)
              .text(zip64_fields)
              .take());
  }
  const std::uint64_t end = out_.position(), count = entries_.size();
  const std::uint64_t capped_count = std::min<std::uint64_t>(count, 0xffff);
  write(FieldBuilder()
            .u32(0x06064b50)
            .u64(44)
            .u16(kUnix | 30)
            .u16(kZip64Version)
            .u32(0)
            .u32(0)
            .u64(count)
            .u64(count)
            .u64(end - start)
            .u64(start)
            .u32(0x07064b50)
            .u32(0)
            .u64(end)
            .u32(1)
            .u32(0x06054b50)
            .u16(0)
            .u16(0)
            .u16(capped_count)
            .u16(capped_count)
            .capped(end - start)
            .capped(start)
            .u16(0)
            .take());
}

}  // namespace taper::io
