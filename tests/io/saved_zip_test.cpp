// Writing zip archives, compared field by field with the layout of PyTorch's writer.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <zlib.h>

#include <map>

#include "assemble.h"
#include "io/zip/checksum.h"
#include "io/zip/writer.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

std::uint64_t read_le(const std::string& s, std::size_t at, std::size_t bytes) {
  std::uint64_t v = 0;
  for (std::size_t i = bytes; i-- > 0;) v = v << 8 | static_cast<unsigned char>(s.at(at + i));
  return v;
}
std::uint32_t crc(const std::string& s) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(s.data()), s.size()));
}

/// An entry of the central directory.
struct Record {
  std::string name, extra;
  std::uint64_t flags, method, crc, packed, size, header;
};
struct Archive {
  std::string bytes;
  std::vector<Record> records;
  std::uint64_t directory = 0, end64 = 0;

  explicit Archive(std::string b) : bytes(std::move(b)) {
    const std::size_t end = bytes.size() - 22, locator = end - 20;
    EXPECT_EQ(bytes.substr(end, 4), "PK\5\6");
    EXPECT_EQ(bytes.substr(locator, 4), "PK\6\7");
    end64 = read_le(bytes, locator + 8, 8);
    EXPECT_EQ(end64 + 56, locator);
    EXPECT_EQ(bytes.substr(end64, 4), "PK\6\6");
    directory = read_le(bytes, end64 + 48, 8);
    for (std::size_t at = directory; at < end64;) {
      EXPECT_EQ(bytes.substr(at, 4), "PK\1\2");
      const std::size_t name = read_le(bytes, at + 28, 2), extra = read_le(bytes, at + 30, 2);
      records.push_back({bytes.substr(at + 46, name), bytes.substr(at + 46 + name, extra),
                         read_le(bytes, at + 8, 2), read_le(bytes, at + 10, 2),
                         read_le(bytes, at + 16, 4), read_le(bytes, at + 20, 4),
                         read_le(bytes, at + 24, 4), read_le(bytes, at + 42, 4)});
      at += 46 + name + extra;
    }
  }
  std::size_t payload(const Record& r) const {
    return r.header + 30 + read_le(bytes, r.header + 26, 2) + read_le(bytes, r.header + 28, 2);
  }
  std::string content(const Record& r) const { return bytes.substr(payload(r), r.size); }
  std::string content(const std::string& name) const {
    for (const Record& r : records)
      if (r.name == name) return content(r);
    return "no record " + name;
  }
};

Archive saved_archive(const Value& v) {
  const std::vector<std::byte> bytes = save_to_bytes(v);
  return Archive({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
const Value& some() {
  static const Value v = Value::dict(
      {{"a", arange(100.0)}, {"none", zeros({0})}, {"b", tensor({1, 2}, {.dtype = int16})}});
  return v;
}

// R11.2-01, R11.2-02, R11.2-03, R11.2-04, R11.2-05, R11.2-06, R11.2-12
TEST(SavedZip, HasRecordsOfPyTorchInOrder) {
  const Archive a = saved_archive(some());
  std::vector<std::string> names;
  for (const Record& r : a.records) names.push_back(r.name);
  EXPECT_EQ(names, (std::vector<std::string>{"archive/data.pkl", "archive/.format_version",
                                             "archive/.storage_alignment", "archive/byteorder",
                                             "archive/data/0", "archive/data/1", "archive/data/2",
                                             "archive/version", "archive/.data/serialization_id"}));
  EXPECT_EQ(a.content("archive/data.pkl").substr(0, 3), "\x80\x02}");
  EXPECT_EQ(a.content("archive/.format_version"), "1");
  EXPECT_EQ(a.content("archive/.storage_alignment"), "64");
  EXPECT_EQ(a.content("archive/byteorder"), "little");
  EXPECT_EQ(a.content("archive/data/0").substr(4, 4), le(0x3f800000, 4));
  EXPECT_EQ(a.content("archive/data/0").size(), 400u);
  EXPECT_EQ(a.content("archive/data/1"), "");
  EXPECT_EQ(a.content("archive/data/2"), le(1, 2) + le(2, 2));
  EXPECT_EQ(a.content("archive/version"), "3\n");
}

// R11.2-12
TEST(SavedZip, StoragesAreInNumericOrder) {
  Value many = Value::list();
  for (int i = 0; i < 12; ++i) many.append(zeros({1}));
  const Archive a = saved_archive(many);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(a.records[4 + static_cast<std::size_t>(i)].name, "archive/data/" + std::to_string(i));
}

// R11.2-07
TEST(SavedZip, SerializationIdHashesNamesAndContents) {
  const auto id = [](const Value& v) {
    return saved_archive(v).content("archive/.data/serialization_id");
  };
  const std::string first = id(some());
  EXPECT_EQ(first.size(), 40u);
  EXPECT_EQ(first.find_first_not_of("0123456789"), std::string::npos);
  EXPECT_EQ(id(some()), first);
  const std::string other = id(Value::list({ones({3})}));
  EXPECT_EQ(id(Value::list({zeros({3})})).substr(0, 20), other.substr(0, 20));
  EXPECT_NE(id(Value::list({zeros({3})})).substr(20), other.substr(20));
  EXPECT_NE(id(Value::list()).substr(0, 20), other.substr(0, 20));
}

// R11.2-08
TEST(SavedZip, FolderIsStemOfFile) {
  const TempDir folder;
  const auto folder_of = [&](const char* name) {
    save(1, folder / name);
    const std::string record = Archive(read_bytes(folder / name)).records[0].name;
    return record.substr(0, record.find('/'));
  };
  EXPECT_EQ(folder_of("sd.a.pt"), "sd.a");
  EXPECT_EQ(folder_of("plain"), "plain");
  EXPECT_EQ(folder_of("dot."), "dot");
  EXPECT_THROW(save(1, folder / ".hid"), RuntimeError);
}

// R11.2-14, R11.2-20, R11.2-22
TEST(SavedZip, SizesAndChecksumsFollowPayload) {
  const Archive a = saved_archive(some());
  for (const Record& r : a.records) {
    const std::string local = a.bytes.substr(r.header, 30);
    EXPECT_EQ(local.substr(0, 4), "PK\3\4");
    EXPECT_EQ(read_le(local, 4, 2), 0u);
    EXPECT_EQ(read_le(local, 6, 2), 0x0808u);
    EXPECT_EQ(local.substr(8, 18), std::string(18, '\0')) << "method, time, checksum, sizes";
    EXPECT_EQ(a.bytes.substr(a.payload(r) + r.size, 16),
              "PK\7\x08" + le(crc(a.content(r)), 4) + le(r.size, 4) + le(r.size, 4));
    EXPECT_EQ(r.flags, 0x0808u);
    EXPECT_EQ(r.method, 0u);
    EXPECT_EQ(r.crc, crc(a.content(r)));
    EXPECT_EQ(r.packed, r.size);
    EXPECT_EQ(r.extra, "");
  }
}

// R11.2-15, R11.2-21, R11.2-24
TEST(SavedZip, PayloadsAreAlignedTo64Bytes) {
  const Archive a = saved_archive(some());
  std::uint64_t at = 0;
  for (const Record& r : a.records) {
    EXPECT_EQ(r.header, at) << "nothing lies between records";
    EXPECT_EQ(a.payload(r) % 64, 0u) << r.name;
    const std::size_t extra = r.header + 30 + r.name.size(), pad = read_le(a.bytes, extra + 2, 2);
    EXPECT_EQ(read_le(a.bytes, r.header + 28, 2), 4 + pad);
    EXPECT_LT(pad, 64u);
    EXPECT_EQ(a.bytes.substr(extra, 2), "FB");
    EXPECT_EQ(a.bytes.substr(extra + 4, pad), std::string(pad, 'Z'));
    at = a.payload(r) + r.size + 16;
  }
  EXPECT_EQ(a.directory, at);
  // The example of the rule: in archive "sd", the first payload is at offset 64.
  const TempDir folder;
  save(1, folder / "sd.pt");
  const std::string bytes = read_bytes(folder / "sd.pt");
  EXPECT_EQ(read_le(bytes, 28, 2), 4 + 19u);
}

// R11.2-23
TEST(SavedZip, EndsWithBothEndRecords) {
  const Archive a = saved_archive(some());
  const std::size_t end = a.bytes.size() - 22, count = a.records.size();
  EXPECT_EQ(read_le(a.bytes, a.end64 + 4, 8), 44u);
  EXPECT_EQ(read_le(a.bytes, a.end64 + 24, 8), count);
  EXPECT_EQ(read_le(a.bytes, a.end64 + 32, 8), count);
  EXPECT_EQ(read_le(a.bytes, a.end64 + 40, 8), a.end64 - a.directory);
  EXPECT_EQ(read_le(a.bytes, end + 8, 2), count);
  EXPECT_EQ(read_le(a.bytes, end + 10, 2), count);
  EXPECT_EQ(read_le(a.bytes, end + 12, 4), a.end64 - a.directory);
  EXPECT_EQ(read_le(a.bytes, end + 16, 4), a.directory);
}

/// Output that stores all writes but large payloads of zeros, which would not fit in memory.
class Sparse : public io::Output {
 public:
  void write(const void* data, std::size_t bytes) override {
    constexpr std::size_t kLarge = 1000;
    if (bytes < kLarge) pieces[position_].assign(static_cast<const char*>(data), bytes);
    position_ += bytes;
  }
  /// Returns the stored bytes from offset `where` to the end of the write that contains them.
  std::string at(std::uint64_t where) const {
    const auto piece = std::prev(pieces.upper_bound(where));
    return piece->second.substr(where - piece->first);
  }
  std::map<std::uint64_t, std::string> pieces;
};

// R11.2-22, R11.2-25. The fields equal those of a 4.3 GiB file written by PyTorch.
TEST(SavedZip, RecordsBeyond4GiBUse64BitFields) {
  Sparse out;
  io::ZipWriter zip(out, "x");
  // Pages that are never written share one physical page of zeros.
  const std::size_t large = (std::size_t{1} << 32) + 100;
  void* const pages =
      ::mmap(nullptr, large, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const auto* const zeros_of_file = static_cast<const std::byte*>(pages);
  zip.add("a", {zeros_of_file, large});
  const std::uint64_t second = out.position();
  zip.add("b", {zeros_of_file, 3});
  ::munmap(pages, large);
  zip.finish();
  const std::string wide = le(large, 8) + le(large, 8);
  const std::string first = out.at(0);
  EXPECT_EQ(first.substr(18, 8), std::string(8, '\0'));
  EXPECT_EQ(first.substr(33, 20), le(1, 2) + le(16, 2) + wide);
  EXPECT_EQ(first.substr(53, 2), "FB");
  EXPECT_EQ(first.size() % 64, 0u);
  const std::string descriptor = out.at(first.size() + large);
  EXPECT_EQ(descriptor.substr(0, 4), "PK\7\x08");
  EXPECT_EQ(descriptor.substr(8, 16), wide);
  EXPECT_EQ(second, first.size() + large + 24);
  const std::string header = out.at(second);
  EXPECT_EQ(header.substr(33, 12), le(1, 2) + le(8, 2) + le(second, 8)) << "its own place";
  // Collects the entries of the directory: the writes that begin with their signature.
  std::vector<std::string> directory;
  for (const auto& [at, piece] : out.pieces)
    if (piece.starts_with("PK\1\2")) directory.push_back(piece);
  ASSERT_EQ(directory.size(), 3u);
  EXPECT_EQ(directory[0].substr(20, 8), std::string(8, '\xff'));
  EXPECT_EQ(directory[0].substr(49), le(1, 2) + le(16, 2) + wide);
  EXPECT_EQ(directory[1].substr(20, 8), le(3, 4) + le(3, 4));
  EXPECT_EQ(directory[1].substr(42, 4), std::string(4, '\xff'));
  EXPECT_EQ(directory[1].substr(49), le(1, 2) + le(8, 2) + le(second, 8));
}

TEST(SavedZip, EqualContentsYieldEqualBytes) {
  const auto make = [] {
    const Tensor w = arange(10.0);
    return Value::dict({{"w", w}, {"again", w}, {"list", Value::list({"w", "again", 1.5})}});
  };
  const Value kept = make(), other = make(), holder = Value::list({other, other["list"]});
  EXPECT_EQ(save_to_bytes(kept), save_to_bytes(other));
}

// R11.2-20
TEST(Checksum, EqualsCrc32ForAllLengthsAndOffsets) {
  std::string bytes(5000, '\0');
  unsigned state = 1;
  for (char& c : bytes) state = state * 1664525 + 1013904223, c = static_cast<char>(state >> 24);
  for (std::size_t size = 0; size < 1500; ++size) {
    const std::string part = bytes.substr(size % 67, size);
    ASSERT_EQ(io::checksum(std::as_bytes(std::span(part))), crc(part)) << size;
  }
  const auto all = std::as_bytes(std::span(bytes));
  for (const std::size_t cut : {1u, 100u, 2048u, 4999u})
    EXPECT_EQ(io::checksum(all.subspan(cut), io::checksum(all.first(cut))), crc(bytes));
}

}  // namespace
}  // namespace taper
