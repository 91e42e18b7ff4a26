#include "io/zip_reader.h"

#include <zlib.h>

#include <algorithm>

#include "core/check.h"
#include "io/text.h"

namespace taper::io {
namespace {
constexpr std::uint64_t kEnd = 0x06054b50, kEnd64 = 0x06064b50, kLocator64 = 0x07064b50,
                        kCentral = 0x02014b50, kLocal = 0x04034b50;
}

void ZipReader::refuse(const std::string& what) const {
  fail<IoError>("load: {}: {}", path_, what);
}

std::uint64_t ZipReader::number(std::uint64_t at, int bytes) const {
  if (at > file_.size() || file_.size() - at < static_cast<std::uint64_t>(bytes))
    refuse("the zip archive is cut short");
  std::uint64_t v = 0;
  for (int i = 0; i < bytes; ++i)
    v |= static_cast<std::uint64_t>(file_[at + static_cast<std::uint64_t>(i)]) << (8 * i);
  return v;
}

void ZipReader::find_directory(std::uint64_t& start, std::uint64_t& size,
                               std::uint64_t& count) const {
  if (file_.size() < 22) refuse("the zip archive is cut short: it has no directory");
  std::uint64_t at = file_.size() - 22;
  const std::uint64_t stop = at > 65535 ? at - 65535 : 0;
  while (number(at, 4) != kEnd || at + 22 + number(at + 20, 2) != file_.size()) {
    if (at == stop) refuse("the zip archive has no directory: it is cut short or damaged");
    --at;
  }
  count = number(at + 10, 2), size = number(at + 12, 4), start = number(at + 16, 4);
  if (number(at + 4, 2) != 0 || number(at + 6, 2) != 0) refuse("the zip archive has several parts");
  std::uint64_t end = at;
  if (at >= 20 && number(at - 20, 4) == kLocator64) {
    const std::uint64_t wide = number(at - 12, 8);
    if (wide > file_.size() || file_.size() - wide < 56 || number(wide, 4) != kEnd64)
      refuse("the zip64 directory record is not where the archive says");
    count = number(wide + 32, 8), size = number(wide + 40, 8), start = number(wide + 48, 8);
    end = wide;
  }
  if (start > end || size > end - start) refuse("the zip directory lies outside of the file");
  if (count > size / 46) refuse("the zip directory is too small for the entries it promises");
}

ZipReader::ZipReader(std::span<const std::byte> file, std::string path)
    : file_(file), path_(std::move(path)) {
  std::uint64_t size = 0, count = 0;
  find_directory(directory_, size, count);
  std::uint64_t at = directory_;
  const std::uint64_t end = directory_ + size;
  for (std::uint64_t i = 0; i < count; ++i) at = read_entry(at, end);
  if (entries_.empty()) refuse("the zip archive is empty");
  // Two records in one place contradict each other.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  for (const auto& [name, e] : entries_)
    if (e.packed) places.emplace_back(e.payload, e.packed);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i].first < places[i - 1].first + places[i - 1].second)
      refuse("two records of the zip archive overlap");
}

std::uint64_t ZipReader::read_entry(std::uint64_t at, std::uint64_t end) {
  if (at > end || end - at < 46 || number(at, 4) != kCentral)
    refuse("the zip directory is damaged");
  const std::uint64_t flags = number(at + 8, 2), method = number(at + 10, 2),
                      name_size = number(at + 28, 2), extra_size = number(at + 30, 2),
                      comment = number(at + 32, 2);
  std::uint64_t packed = number(at + 20, 4), bytes = number(at + 24, 4),
                offset = number(at + 42, 4);
  const std::uint64_t next = at + 46 + name_size + extra_size + comment;
  if (next > end) refuse("the zip directory is damaged");
  const std::string name(reinterpret_cast<const char*>(file_.data()) + at + 46, name_size);
  for (std::uint64_t x = at + 46 + name_size, stop = x + extra_size; stop - x >= 4;) {
    const std::uint64_t id = number(x, 2), n = number(x + 2, 2);
    if (n > stop - x - 4) break;
    if (id == 1) {
      std::uint64_t field = x + 4;
      const auto widen = [&](std::uint64_t& v) {
        if (v != 0xffffffffu) return;
        if (field + 8 > x + 4 + n) refuse("a zip64 field of '" + shown(name) + "' is missing");
        v = number(field, 8);
        field += 8;
      };
      widen(bytes), widen(packed), widen(offset);
    }
    x += 4 + n;
  }
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos || name.find('\0') != std::string::npos)
    refuse("a zip record lies in no folder or has a damaged name");
  if (entries_.empty() && folder_.empty()) folder_ = name.substr(0, slash);
  if (name.compare(0, slash, folder_) != 0)
    refuse("zip records lie in two folders: '" + shown(folder_) + "' and '" +
           shown(name.substr(0, slash)) + "'");
  if (flags & 1) refuse("the zip record '" + shown(name) + "' is encrypted");
  if (method != 0 && method != 8)
    refuse("the zip record '" + shown(name) + "' is compressed in an unknown way");
  Entry e{packed, bytes, 0, method == 8};
  check_local(e, offset, name, method, directory_);
  if (!entries_.emplace(name.substr(slash + 1), e).second)
    refuse("the zip archive has two records named '" + shown(name) + "'");
  return next;
}

void ZipReader::check_local(Entry& e, std::uint64_t offset, const std::string& name,
                            std::uint64_t method, std::uint64_t directory) {
  if (offset > directory || directory - offset < 30 || number(offset, 4) != kLocal)
    refuse("the zip record '" + shown(name) + "' is not where the directory says");
  const std::uint64_t name_size = number(offset + 26, 2), extra = number(offset + 28, 2);
  e.payload = offset + 30 + name_size + extra;
  const bool same_name = name_size == name.size() && e.payload <= directory &&
                         std::equal(name.begin(), name.end(),
                                    reinterpret_cast<const char*>(file_.data()) + offset + 30);
  if (!same_name || number(offset + 8, 2) != method)
    refuse("the zip directory and the record '" + shown(name) + "' disagree");
  if (e.payload > directory || e.packed > directory - e.payload)
    refuse("the zip record '" + shown(name) + "' reaches beyond the file");
  if (!e.deflated && e.packed != e.bytes)
    refuse("the zip record '" + shown(name) + "' is stored but has two sizes");
  if (e.deflated && e.bytes / 1100 > e.packed + 16)
    refuse("the zip record '" + shown(name) + "' promises more than deflate can pack");
}

const ZipReader::Entry& ZipReader::entry(const std::string& record) const {
  const auto found = entries_.find(record);
  if (found == entries_.end()) refuse("the zip archive has no record '" + record + "'");
  return found->second;
}

std::span<const std::byte> ZipReader::read(const std::string& record,
                                           std::vector<std::byte>& room) const {
  const Entry& e = entry(record);
  const std::span<const std::byte> packed = file_.subspan(e.payload, e.packed);
  if (!e.deflated) return packed;
  room.resize(e.bytes);
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) refuse("inflating could not start");
  struct End {
    z_stream& z;
    ~End() { inflateEnd(&z); }
  } end{z};
  constexpr std::uint64_t kStep = 1u << 30;
  std::uint64_t in = 0, out = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const auto give = static_cast<uInt>(std::min(kStep, packed.size() - in));
    const auto take = static_cast<uInt>(std::min<std::uint64_t>(kStep, room.size() - out));
    z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in));
    z.avail_in = give;
    z.next_out = reinterpret_cast<Bytef*>(room.data() + out);
    z.avail_out = take;
    status = inflate(&z, Z_NO_FLUSH);
    in += give - z.avail_in, out += take - z.avail_out;
    if (status == Z_OK && give == z.avail_in && take == z.avail_out) status = Z_BUF_ERROR;
  }
  if (status != Z_STREAM_END || out != room.size())
    refuse("the compressed zip record '" + record + "' is damaged");
  return room;
}

}  // namespace taper::io
