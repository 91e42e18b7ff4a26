#include "io/zip_writer.h"

#include <zlib.h>

namespace taper::io {
namespace {

constexpr std::uint64_t kFourGiB = 0xffffffffu;
constexpr std::uint16_t kUtf8 = 0x0800, kStored = 0, kZip64Version = 45, kDate = 33;  // 1980-01-01

/// Little-endian fields, one after the other.
class Record {
 public:
  Record& u16(std::uint64_t v) { return put(v, 2); }
  Record& u32(std::uint64_t v) { return put(v, 4); }
  Record& u64(std::uint64_t v) { return put(v, 8); }
  Record& text(const std::string& s) {
    bytes_ += s;
    return *this;
  }
  void write(Output& file) const { file.write(bytes_.data(), bytes_.size()); }
  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint64_t v, int n) {
    for (int i = 0; i < n; ++i) bytes_ += static_cast<char>(v >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

std::uint64_t capped(std::uint64_t v) { return v >= kFourGiB ? kFourGiB : v; }

}  // namespace

void ZipWriter::add(const std::string& name, const void* data, std::size_t bytes) {
  Entry e{folder_ + "/" + name, 0, bytes, file_.position()};
  std::uint64_t left = bytes;
  uLong crc = crc32(0, nullptr, 0);
  for (const auto* p = static_cast<const Bytef*>(data); left > 0;) {
    const auto n = static_cast<uInt>(std::min<std::uint64_t>(left, 1u << 30));
    crc = crc32(crc, p, n);
    p += n, left -= n;
  }
  e.crc = static_cast<std::uint32_t>(crc);
  const bool large = bytes >= kFourGiB;
  Record extra;
  if (large) extra.u16(1).u16(16).u64(bytes).u64(bytes);
  const std::uint64_t payload = e.offset + 30 + e.name.size() + extra.size() + 4;
  const std::uint64_t pad = (64 - payload % 64) % 64;
  extra.text("FB").u16(pad).text(std::string(pad, 'Z'));
  Record()
      .u32(0x04034b50)
      .u16(large ? kZip64Version : 0)
      .u16(kUtf8)
      .u16(kStored)
      .u16(0)
      .u16(kDate)
      .u32(e.crc)
      .u32(capped(bytes))
      .u32(capped(bytes))
      .u16(e.name.size())
      .u16(extra.size())
      .text(e.name)
      .text(extra.bytes())
      .write(file_);
  file_.write(data, bytes);
  entries_.push_back(std::move(e));
}

void ZipWriter::finish() {
  const std::uint64_t start = file_.position();
  for (const Entry& e : entries_) {
    Record extra;
    if (e.bytes >= kFourGiB || e.offset >= kFourGiB) {
      Record wide;
      if (e.bytes >= kFourGiB) wide.u64(e.bytes).u64(e.bytes);
      if (e.offset >= kFourGiB) wide.u64(e.offset);
      extra.u16(1).u16(wide.size()).text(wide.bytes());
    }
    Record()
        .u32(0x02014b50)
        .u16(extra.size() ? kZip64Version : 0)
        .u16(extra.size() ? kZip64Version : 0)
        .u16(kUtf8)
        .u16(kStored)
        .u16(0)
        .u16(kDate)
        .u32(e.crc)
        .u32(capped(e.bytes))
        .u32(capped(e.bytes))
        .u16(e.name.size())
        .u16(extra.size())
        .u16(0)
        .u16(0)
        .u16(0)
        .u32(0)
        .u32(capped(e.offset))
        .text(e.name)
        .text(extra.bytes())
        .write(file_);
  }
  const std::uint64_t end = file_.position(), count = entries_.size();
  Record()
      .u32(0x06064b50)
      .u64(44)
      .u16(kZip64Version)
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
      .u16(count < 0xffff ? count : 0xffff)
      .u16(count < 0xffff ? count : 0xffff)
      .u32(capped(end - start))
      .u32(capped(start))
      .u16(0)
      .write(file_);
}

}  // namespace taper::io
