// Rules of the zip container that a reader must follow.
#include <gtest/gtest.h>

#include "assemble.h"
#include "assemble_zip.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

void expect_rejected_zip(const std::string& bytes, const std::string& words) {
  EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load_bytes(bytes); }), words));
}

std::string ones() {
  std::string bytes;
  for (int i = 0; i < 12; ++i) bytes += le(0x3f800000, 4);
  return bytes;
}
const std::string kObject = pickle(dict({{"w", TensorPart{}.str()}}));

/// Returns the records that every checkpoint must contain.
std::vector<ZipPart> needed() {
  return {{"a/data.pkl", kObject}, {"a/data/0", ones()}, {"a/version", "3\n"}};
}
std::vector<ZipPart> with(const ZipPart& more) {
  std::vector<ZipPart> parts = needed();
  parts.push_back(more);
  return parts;
}
float first(const Value& v) { return v["w"].as_tensor()[0][0].item<float>(); }

// R11.1-01
TEST(ZipRules, DetectsArchivesByFirstBytesAndNamesTorchScript) {
  EXPECT_EQ(first(load_bytes(zip_of(needed()))), 1);
  expect_rejected_zip("QK" + zip_of(needed()).substr(2), "expected a file written by torch.save");
  expect_rejected_zip(zip_of(with({"a/constants.pkl", pickle(")")})), "TorchScript archive");
}

// R11.2-19
TEST(ZipRules, CodeAndConstantsIdentifyTorchScript) {
  expect_rejected_zip(zip_of(with({"a/code/__torch__.py", "class Net: ..."})),
                      "torch.jit.load(file).state_dict()");
  expect_rejected_zip(zip_of({{"a/constants/0", ""}, {"a/constants.pkl", ""}}),
                      "TorchScript archive");
}

// R11.2-04, R11.2-13
TEST(ZipRules, ByteOrderIsDeclaredOrLittle) {
  EXPECT_EQ(first(load_bytes(zip_of(needed()))), 1);
  EXPECT_EQ(first(load_bytes(zip_of(with({"a/byteorder", "little"})))), 1);
  std::vector<ZipPart> big = with({"a/byteorder", "big"});
  std::string turned;
  for (int i = 0; i < 12; ++i) turned += "\x3f\x80" + std::string(2, '\0');
  big[1].bytes = turned;
  EXPECT_EQ(first(load_bytes(zip_of(big))), 1);
  expect_rejected_zip(zip_of(with({"a/byteorder", "little\n"})),
                      "Unknown endianness type: little\\x0a");
  expect_rejected_zip(zip_of(with({"a/byteorder", ""})), "Unknown endianness type: ");
}

// R11.2-06, R11.2-11
TEST(ZipRules, ReadsVersions1To10) {
  const auto of_version = [](const std::string& text, const char* record = "a/version") {
    return zip_of({{"a/data.pkl", kObject}, {"a/data/0", ones()}, {record, text}});
  };
  for (const char* good : {"3\n", "3", "1", "10\n"})
    EXPECT_EQ(first(load_bytes(of_version(good))), 1);
  EXPECT_EQ(first(load_bytes(of_version("2", "a/.data/version"))), 1);
  for (const char* bad : {"0", "11", "-1", "three", "", "3x"})
    expect_rejected_zip(of_version(bad), "is not supported, expected 1 to 10");
}

// R11.2-09
TEST(ZipRules, RequiresAllRecordsInFolderOfFirst) {
  std::vector<ZipPart> parts = needed();
  for (ZipPart& p : parts) p.name = "any name" + p.name.substr(1);
  EXPECT_EQ(first(load_bytes(zip_of(parts))), 1);
  parts[1].name = "other/data/0";
  expect_rejected_zip(zip_of(parts), "two folders: 'any name' and 'other'");
  expect_rejected_zip(zip_of({{"data.pkl", kObject}, {"version", "3"}}), "is not in a folder");
}

// R11.2-10, R11.2-02, R11.2-03, R11.2-07
TEST(ZipRules, RequiresOnlyPickleVersionAndStorages) {
  for (std::size_t gone = 0; gone < 3; ++gone) {
    std::vector<ZipPart> parts = needed();
    const std::string record = parts[gone].name.substr(2);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(gone));
    expect_rejected_zip(zip_of(parts), "record '" + record + "'");
  }
  std::vector<ZipPart> all = {{"a/version", "3"},       {"a/.format_version", "77"},
                              {"a/data/0", ones()},     {"a/.storage_alignment", "4096"},
                              {"a/something/else", ""}, {"a/.data/serialization_id", "x"}};
  all.push_back(needed()[0]);
  EXPECT_EQ(first(load_bytes(zip_of(all))), 1);
}

// R11.2-12
TEST(ZipRules, FindsStoragesByNameInAnyOrder) {
  std::vector<ZipPart> parts = {{"a/version", "3"}};
  std::string items;
  for (const int i : {0, 1, 10, 11, 2}) {
    parts.push_back({"a/data/" + std::to_string(i), le(0x3f800000, 4) + std::string(44, '\0')});
    parts.back().bytes[4] = static_cast<char>(i);
  }
  for (const int i : {2, 11, 0})
    items += TensorPart{.storage = StoragePart{.cls = name("torch", "ByteStorage"),
                                               .key = text(std::to_string(i)),
                                               .count = number(48)}
                                       .str()}
                 .str();
  parts.push_back({"a/data.pkl", pickle("](" + items + "e")});
  const Value v = load_bytes(zip_of(parts));
  EXPECT_EQ(v[0].as_tensor()[1][0].item<int>(), 2);
  EXPECT_EQ(v[1].as_tensor()[1][0].item<int>(), 11);
  EXPECT_EQ(v[2].as_tensor()[1][0].item<int>(), 0);
}

// R11.2-14
TEST(ZipRules, ReadsDeflatedRecords) {
  std::vector<ZipPart> parts = needed();
  for (ZipPart& p : parts) p.deflated = true;
  const std::string good = zip_of(parts);
  EXPECT_EQ(first(load_bytes(good)), 1);
  std::string bad = good;
  bad[bad.find("a/data/0") + 10] ^= 0x55;
  expect_rejected_zip(bad, "the compressed zip record 'a/data/0' is damaged");
}

// R11.2-15, R11.2-25
TEST(ZipRules, ReadsPayloadsAtAnyAlignment) {
  for (const std::size_t pad : {0u, 1u, 3u, 4u, 63u}) {
    std::vector<ZipPart> parts = needed();
    parts[1].local_extra = "FB" + le(pad, 2) + std::string(pad, 'Z');
    const Value v = load_bytes(zip_of(parts));
    EXPECT_EQ(first(v), 1);
    v["w"].as_tensor().fill_(2);
    EXPECT_EQ(first(v), 2);
  }
}

// R11.2-16
TEST(ZipRules, RecordMustHaveSizeOfItsStorage) {
  for (const std::size_t size : {0u, 44u, 47u, 49u, 52u}) {
    std::vector<ZipPart> parts = needed();
    parts[1].bytes.resize(size);
    expect_rejected_zip(zip_of(parts),
                        "does not match its record of " + std::to_string(size) + " bytes");
  }
}

// R11.2-18
TEST(ZipRules, ReportsMissingDirectoryAsTruncation) {
  const std::string good = zip_of(needed());
  expect_rejected_zip(good.substr(0, good.size() - 1), "truncated or damaged");
  expect_rejected_zip(good.substr(0, good.find("PK\1\2")), "truncated or damaged");
  expect_rejected_zip(good.substr(0, 21), "truncated: missing directory");
}

// R11.2-22, R11.2-24
TEST(ZipRules, SizesComeFromDirectoryAndOffsetsFromRecords) {
  std::vector<ZipPart> parts = needed();
  for (ZipPart& p : parts) p.streamed = true;
  parts[1].local_extra = "FB" + le(5, 2) + "ZZZZZ";  // the directory has no extra field
  EXPECT_EQ(first(load_bytes(zip_of(parts))), 1);
}

// R11.2-23
TEST(ZipRules, ReadsZip64EndRecord) {
  const std::string good = zip_of(needed(), true);
  EXPECT_EQ(first(load_bytes(good)), 1);
  std::string bad = good;
  bad[bad.find("PK\6\6") + 48] ^= 1;  // changes the offset of the directory
  EXPECT_THROW(load_bytes(bad), IoError);
  bad = good;
  bad[bad.find("PK\6\7") + 8] ^= 1;  // changes the offset of the zip64 end record
  expect_rejected_zip(bad, "zip64 directory record is not at the recorded offset");
}

TEST(ZipRules, ReportsPositionOfOverlappingRecords) {
  std::vector<ZipPart> parts = needed();
  parts[1].bytes =
      "PK\3\4" + le(20, 2) + le(0, 2) + le(0, 2) + le(0, 16) + le(9, 2) + le(0, 2) + "a/version3\n";
  std::string file = zip_of(parts);
  // The directory entry of the last record points into the payload of the previous one.
  const std::size_t entry = file.rfind("PK\1\2"),
                    inner = file.find("PK\3\4", file.find("a/data/0"));
  file.replace(entry + 42, 4, le(inner, 4));
  expect_rejected_zip(file, "the zip records 'a/data/0' and 'a/version' overlap (byte ");
}

}  // namespace
}  // namespace taper
