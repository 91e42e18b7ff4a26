// Locates the pickles in a file, including damaged files.
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "io/load_context.h"
#include "io/npy/header.h"
#include "io/pickle/scanner.h"
#include "io/source.h"
#include "io/text.h"
#include "io/zip/reader.h"
#include "taper/core/error.h"

namespace taper {
namespace io {
namespace {

constexpr int kMaxPickles = 5;                  // in a file of the legacy format
constexpr std::size_t kMaxInflated = 1u << 26;  // limit on the inflated size of a record
constexpr std::size_t kLocalHeader = 30;
constexpr std::size_t kArrayHeader = 1u << 17;  // larger than any NumPy header
constexpr std::size_t kNotFound = static_cast<std::size_t>(-1);

using Bytes = std::span<const std::byte>;

bool starts_with(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

std::uint64_t read_uint(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint64_t v = 0;
  for (std::size_t i = 0; i < count; ++i) v |= static_cast<std::uint64_t>(bytes[at + i]) << (8 * i);
  return v;
}

/// Returns the bytes that `packed` inflates to, up to the first error or about `max` bytes.
std::vector<std::byte> inflate_prefix(Bytes packed, std::size_t max = kMaxInflated) {
  std::vector<std::byte> out;
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), 1u << 30));
  int status = Z_OK;
  while (status == Z_OK && out.size() < max) {
    constexpr std::size_t kChunkSize = 1u << 16;
    const std::size_t had = out.size();
    out.resize(had + kChunkSize);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + had);
    stream.avail_out = kChunkSize;
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(had + kChunkSize - stream.avail_out);
    if (stream.avail_in == 0 && stream.avail_out) break;
  }
  inflateEnd(&stream);
  return out;
}

/// Scans one pickle and returns the number of bytes examined.
std::size_t scan_pickle(Bytes bytes, const std::string& record, PickleScan& found) {
  std::size_t at = 0;
  PickleScanner(bytes, record, found).scan(at);
  return at;
}

/// Returns the offset of the pickle in a record: 0 if the name ends with .pkl, otherwise the end of
/// the header of a NumPy object array, which numpy.load(allow_pickle=True) unpickles. Returns
/// kNotFound for any other record.
std::size_t find_pickle_offset(std::string_view name, Bytes begin) {
  if (name.ends_with(".pkl")) return 0;
  if (!starts_with(begin, "\x93NUMPY")) return kNotFound;
  try {
    const NpyHeader header = read_npy_header(begin);
    return header.type.find('O') == std::string::npos ? kNotFound : header.data;
  } catch (const Error&) { return kNotFound; }  // numpy.load fails before it reads a pickle
}

/// Scans the records that the central directory lists. Returns false if the archive is damaged.
bool scan_directory(Ref<Source> source, PickleScan& found) {
  try {
    const LoadOptions options;
    LoadContext context(std::move(source), options);
    const ZipReader zip(context);
    for (const ZipReader::Entry& e : zip.entries()) {
      const Bytes packed = context.bytes().subspan(e.payload_offset, e.packed);
      const bool peek = e.deflated && !e.name.ends_with(".pkl");  // a name in .pkl is sufficient
      const std::size_t at =
          find_pickle_offset(e.name, peek ? inflate_prefix(packed, kArrayHeader) : packed);
      if (at == kNotFound) continue;
      if (e.deflated && e.bytes > context.bytes().size() + kMaxInflated) {
        found.stopped.push_back(escape_for_message(e.name) + ": inflates to " +
                                std::to_string(e.bytes) + " bytes");
        continue;
      }
      std::vector<std::byte> buffer;
      scan_pickle(zip.bytes(e, buffer).subspan(at), escape_for_message(e.name), found);
    }
    return true;
  } catch (const Error&) { return false; }
}

/// Scans the records by their local headers, which a truncated archive also has.
void scan_headers(Bytes bytes, PickleScan& found) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // Forged headers can be anywhere and claim any size, so the total work is bounded.
  std::size_t left = 4 * bytes.size() + kMaxInflated;
  const auto consume_budget = [&](std::size_t looked_at) { left -= std::min(left, looked_at); };
  for (std::size_t at = 0; (at = text.find("PK\3\4", at)) != std::string_view::npos; ++at) {
    if (bytes.size() - at < kLocalHeader) return;
    const std::uint64_t method = read_uint(bytes, at + 8, 2), size = read_uint(bytes, at + 18, 4),
                        name_size = read_uint(bytes, at + 26, 2),
                        extra = read_uint(bytes, at + 28, 2);
    const std::size_t begin = at + kLocalHeader + name_size + extra;
    if (begin > bytes.size()) continue;
    const std::string_view name = text.substr(at + kLocalHeader, name_size);
    // The size may be missing or forged. A stored pickle ends at its STOP operation.
    const Bytes rest = bytes.subspan(begin);
    const bool known = size != 0 && size != 0xffffffff && size <= rest.size();
    const Bytes packed = known ? rest.subspan(0, size) : rest;
    const bool peek = method == 8 && name.ends_with(".npy");
    std::vector<std::byte> buffer;
    if (peek) buffer = inflate_prefix(packed, kArrayHeader);
    const std::size_t in = find_pickle_offset(name, peek ? buffer : method == 0 ? rest : Bytes());
    consume_budget(buffer.size());
    if (in == kNotFound) continue;
    if (left == 0) {
      found.stopped.push_back("overlapping records: the rest was not scanned");
      return;
    }
    consume_budget(name.size());
    if (method == 0) {
      consume_budget(scan_pickle(rest.subspan(in), escape_for_message(name), found));
    } else if (method == 8) {
      buffer = inflate_prefix(packed, std::min(left, kMaxInflated));
      consume_budget(buffer.size());
      scan_pickle(Bytes(buffer).subspan(std::min(in, buffer.size())), escape_for_message(name),
                  found);
    } else {
      found.stopped.push_back(escape_for_message(name) + ": unsupported compression method");
    }
  }
}

bool is_pickle(Bytes bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x80} && bytes[1] <= std::byte{5};
}

void scan_pickle_sequence(Bytes bytes, PickleScan& found) {
  PickleScanner scanner(bytes, "", found);
  std::size_t at = 0;
  for (int n = 0; n < kMaxPickles && is_pickle(bytes.subspan(at)); ++n)
    if (!scanner.scan(at)) return;
}

/// Scans the members of a tar file, in which torch.save of PyTorch 0.1 stored several pickles.
/// Those of tensors and storages are followed by elements, between which further pickles are not
/// located.
void scan_tar(Bytes bytes, PickleScan& found) {
  constexpr std::size_t kBlock = 512;
  for (std::size_t at = 0; bytes.size() - at > kBlock && bytes[at] != std::byte{0};) {
    const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + at, kBlock);
    const std::string name =
        escape_for_message(header.substr(0, std::min<std::size_t>(header.find('\0'), 100)));
    std::uint64_t size = 0;
    for (const char c : header.substr(124, 12))
      if (c >= '0' && c <= '7') size = size * 8 + static_cast<std::uint64_t>(c - '0');
    at += kBlock;
    const Bytes member = bytes.subspan(at, std::min<std::uint64_t>(size, bytes.size() - at));
    PickleScanner scanner(member, name, found);
    std::size_t end = 0;
    for (int n = 0; n < kMaxPickles && is_pickle(member.subspan(end)); ++n)
      if (!scanner.scan(end)) break;
    if (end < member.size())
      found.stopped.push_back(name + ": not scanned from byte " + std::to_string(end));
    at += std::min<std::size_t>((member.size() + kBlock - 1) / kBlock * kBlock, bytes.size() - at);
  }
}

PickleScan scan(const Ref<Source>& source) {
  PickleScan found;
  const Bytes bytes = source->bytes();
  if (is_pickle(bytes)) {
    scan_pickle_sequence(bytes, found);
  } else if (const std::size_t at = find_pickle_offset("", bytes); at != kNotFound) {
    scan_pickle(bytes.subspan(at), "", found);
  } else if (starts_with(bytes, "PK")) {
    if (!scan_directory(source, found)) {
      found = {};
      scan_headers(bytes, found);
    }
  } else if (starts_with(bytes.subspan(std::min<std::size_t>(257, bytes.size())), "ustar")) {
    scan_tar(bytes, found);
  } else {
    // Protocol 0 has no magic number. The file is considered a pickle if it can be scanned to its
    // end or contains a call.
    constexpr std::size_t kMaxTried = 1u << 26;
    PickleScan candidate;
    std::size_t at = 0;
    const auto calls = [](const PickledGlobal& g) { return g.calls > 0; };
    const bool small = bytes.size() > 1 && bytes.size() <= kMaxTried;
    if (small && ((PickleScanner(bytes, "", candidate).scan(at) && at == bytes.size()) ||
                  std::any_of(candidate.globals.begin(), candidate.globals.end(), calls)))
      found = std::move(candidate);
  }
  for (PickledGlobal& g : found.globals)
    g.risk = g.modified ? PickleRisk::dangerous : classify_global(g.name, g.calls > 0);
  return found;
}

}  // namespace
}  // namespace io

PickleScan scan_pickles(const std::string& path) { return io::scan(io::Source::open(path)); }

PickleScan scan_pickles(std::span<const std::byte> bytes) {
  return io::scan(io::Source::from_memory(bytes));
}

}  // namespace taper
