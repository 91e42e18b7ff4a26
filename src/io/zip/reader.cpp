#include "io/zip/reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "core/tensor_impl.h"
#include "core/value/payload.h"
#include "io/text.h"
#include "io/zip/directory.h"
#include "taper/core/factory.h"

namespace taper::io {
namespace {

constexpr std::uint64_t kCentral = 0x02014b50, kLocal = 0x04034b50;

}  // namespace

template <std::size_t Bytes> std::uint64_t ZipReader::read_uint(std::uint64_t at) const {
  if (at > file_.size() || file_.size() - at < Bytes) reject("the zip archive is truncated");
  std::uint64_t v = 0;
  std::memcpy(&v, file_.data() + at, Bytes);
  return v;
}

ZipReader::ZipReader(LoadContext& context) : context_(context), file_(context.bytes()) {
  const ZipDirectory directory = find_zip_directory(file_);
  if (directory.damage) reject("{}", directory.damage);
  directory_ = directory.start;
  entries_.reserve(directory.count);
  std::uint64_t at = directory_;
  for (std::uint64_t i = 0; i < directory.count; ++i)
    at = read_entry(at, directory_ + directory.size);
  if (entries_.empty()) reject("the zip archive is empty");
  check_local_headers();
  check_overlaps();
}

std::uint64_t ZipReader::read_entry(std::uint64_t at, std::uint64_t end) {
  if (at > end || end - at < 46 || read_uint<4>(at) != kCentral)
    reject("the zip directory is damaged (byte {})", at);
  const std::uint64_t flags = read_uint<2>(at + 8), method = read_uint<2>(at + 10),
                      name_size = read_uint<2>(at + 28), extra_size = read_uint<2>(at + 30),
                      comment = read_uint<2>(at + 32);
  Entry e;
  e.checksum = static_cast<std::uint32_t>(read_uint<4>(at + 16));
  e.packed = read_uint<4>(at + 20), e.bytes = read_uint<4>(at + 24);
  e.header_offset = read_uint<4>(at + 42);
  const std::uint64_t next = at + 46 + name_size + extra_size + comment;
  if (next > end) reject("the zip directory is damaged (byte {})", at);
  e.name = {reinterpret_cast<const char*>(file_.data()) + at + 46, name_size};
  if (e.name.find('\0') != std::string_view::npos)
    reject("invalid zip record name: '{}' (byte {})", escape_for_message(e.name), at);
  for (std::uint64_t x = at + 46 + name_size, stop = x + extra_size; stop - x >= 4;) {
    const std::uint64_t id = read_uint<2>(x), n = read_uint<2>(x + 2);
    if (n > stop - x - 4) break;
    if (id == 1) {
      std::uint64_t field = x + 4;
      const auto widen = [&](std::uint64_t& v) {
        if (v != 0xffffffffu) return;
        if (field + 8 > x + 4 + n)
          reject("a zip64 field of '{}' is missing (byte {})", escape_for_message(e.name), x);
        v = read_uint<8>(field);
        field += 8;
      };
      widen(e.bytes), widen(e.packed), widen(e.header_offset);
    }
    x += 4 + n;
  }
  if (flags & 1) reject("the zip record '{}' is encrypted", escape_for_message(e.name));
  if (method != 0 && method != 8)
    reject("the zip record '{}' uses an unsupported compression method ({})",
           escape_for_message(e.name), method);
  e.deflated = method == 8;
  const std::size_t hash = value::hash_string(e.name);
  if (find(e.name, hash))
    reject("the zip archive has two records named '{}'", escape_for_message(e.name));
  by_name_.add(hash, static_cast<std::uint32_t>(entries_.size()));
  entries_.push_back(e);
  return next;
}

void ZipReader::check_local_headers() {
  // Record headers are far apart, so each access would be a cache miss without a prefetch.
  constexpr std::size_t kAhead = 8, kLine = 64;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i + kAhead < entries_.size()) {
      const std::uint64_t next = std::min(entries_[i + kAhead].header_offset, directory_);
      __builtin_prefetch(file_.data() + next);
      __builtin_prefetch(file_.data() + std::min(next + kLine, directory_));
    }
    check_local_header(entries_[i]);
  }
}

void ZipReader::check_local_header(Entry& e) const {
  const std::uint64_t offset = e.header_offset, method = e.deflated ? 8 : 0;
  if (offset > directory_ || directory_ - offset < 30 || read_uint<4>(offset) != kLocal)
    reject("the zip record '{}' is not at the recorded offset (byte {})",
           escape_for_message(e.name), offset);
  const std::uint64_t name_size = read_uint<2>(offset + 26), extra = read_uint<2>(offset + 28);
  e.payload_offset = offset + 30 + name_size + extra;
  const bool same_name = name_size == e.name.size() && e.payload_offset <= directory_ &&
                         std::memcmp(e.name.data(), file_.data() + offset + 30, e.name.size()) == 0;
  if (!same_name || read_uint<2>(offset + 8) != method)
    reject("the zip directory and the header of '{}' differ (byte {})", escape_for_message(e.name),
           offset);
  if (e.payload_offset > directory_ || e.packed > directory_ - e.payload_offset)
    reject("the zip record '{}' of {} bytes extends beyond the end of the file (byte {})",
           escape_for_message(e.name), e.packed, e.payload_offset);
  if (!e.deflated && e.packed != e.bytes)
    reject("the zip record '{}' is stored but its two sizes differ (byte {})",
           escape_for_message(e.name), offset);
  if (e.deflated && e.bytes / 1100 > e.packed + 16)
    reject("the zip record '{}' has a size that deflate cannot reach (byte {})",
           escape_for_message(e.name), offset);
}

void ZipReader::check_overlaps() const {
  // Overlapping records are rejected, because readers could disagree about their contents.
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const Entry& e : entries_)
    if (e.packed) order.push_back(&e);
  const auto before = [](const Entry* a, const Entry* b) {
    return a->payload_offset < b->payload_offset;
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::sort(order.begin(), order.end(), before);
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->payload_offset < order[i - 1]->payload_offset + order[i - 1]->packed)
      reject("the zip records '{}' and '{}' overlap (byte {})",
             escape_for_message(order[i - 1]->name), escape_for_message(order[i]->name),
             order[i]->payload_offset);
}

const ZipReader::Entry* ZipReader::find(std::string_view name, std::size_t hash) const {
  const std::uint32_t found =
      by_name_.find(hash, [&](std::uint32_t i) { return entries_[i].name == name; });
  return found == OpenHashIndex::kNone ? nullptr : &entries_[found];
}

void ZipReader::inflate(const Entry& e, std::span<std::byte> to) const {
  const std::span<const std::byte> packed = file_.subspan(e.payload_offset, e.packed);
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) reject("cannot initialize zlib");
  struct End {
    z_stream& z;
    ~End() { inflateEnd(&z); }
  } end{z};
  constexpr std::uint64_t kStep = 1u << 25;
  std::uint64_t in = 0, out = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const auto input_size = static_cast<uInt>(std::min(kStep, packed.size() - in));
    const auto output_size = static_cast<uInt>(std::min<std::uint64_t>(kStep, to.size() - out));
    z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in));
    z.avail_in = input_size;
    z.next_out = reinterpret_cast<Bytef*>(to.data() + out);
    z.avail_out = output_size;
    status = ::inflate(&z, Z_NO_FLUSH);
    in += input_size - z.avail_in, out += output_size - z.avail_out;
    if (status == Z_OK && input_size == z.avail_in && output_size == z.avail_out)
      status = Z_BUF_ERROR;
  }
  if (status != Z_STREAM_END || out != to.size())
    reject("the compressed zip record '{}' is damaged (byte {})", escape_for_message(e.name),
           e.payload_offset + in);
}

std::span<const std::byte> ZipReader::bytes(const Entry& e, std::vector<std::byte>& buffer) const {
  if (!e.deflated) return file_.subspan(e.payload_offset, e.packed);
  buffer.resize(e.bytes);
  inflate(e, buffer);
  return buffer;
}

Tensor ZipReader::elements(const Entry& e, std::int64_t count, DType dtype, bool swap) const {
  if (!e.deflated && !swap) return context_.elements(e.payload_offset, count, dtype);
  const Tensor flat = new_tensor({count}, dtype, Device::cpu());
  if (e.deflated) {
    inflate(e, {impl(flat).storage->row_major_buffer().data, e.bytes});
    context_.count(e.packed);
  } else {
    context_.fill(flat, e.payload_offset);
  }
  if (swap) swap_bytes(flat);
  return flat;
}

void ZipReader::verify() const {
  std::vector<std::byte> buffer;
  for (const Entry& e : entries_) {
    if (e.checksum == 0) continue;
    const auto content = bytes(e, buffer);
    uLong sum = crc32(0, nullptr, 0);
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(content.data()), content.size());
    if (sum != e.checksum)
      reject("the zip record '{}' is damaged: checksum mismatch for its {} bytes (byte {})",
             escape_for_message(e.name), content.size(), e.payload_offset);
  }
}

}  // namespace taper::io
