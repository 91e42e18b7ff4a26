// The safetensors format, and the index of sharded files.
#include <gtest/gtest.h>

#include "assemble.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

const std::string kData(48, '\1');
const std::string kEntry = R"("a":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]})";

void expect_refused(const std::string& path, const char* words) {
  const std::string text = error_text<IoError>([&] { (void)load(path); });
  EXPECT_TRUE(contains(text, words));
  EXPECT_TRUE(contains(text, path));
}

// R11.7-01, R11.7-02, R11.7-04, R11.7-05, R11.7-18
TEST(Safetensors, ReadsTensorsAndMetadata) {
  const TempDir folder;
  const std::string path = folder / "x.safetensors";
  const std::string said = R"("__metadata__":{"format":"pt","note":"\u00e9"},)";
  for (const char* padding : {"", " ", "   \n\t"}) {
    write_bytes(path, safetensors("{" + said + kEntry + "}" + padding, kData));
    const Value v = load(path);
    EXPECT_EQ(v["a"].as_tensor().shape(), Shape({3, 4}));
    EXPECT_EQ(v.as_dict().attribute("__metadata__")->str(), "{'format': 'pt', 'note': 'é'}");
  }
  write_bytes(path, safetensors("{" + kEntry + "}", kData));
  const Value loaded = load_safetensors(path);
  EXPECT_EQ(loaded.as_dict().attribute("__metadata__"), nullptr);
}

TEST(Safetensors, AreDetectedForAnyHeaderLength) {
  const TempDir folder;
  const std::string header = "{" + kEntry + "}";
  // The bytes of these lengths begin like pickles of protocols 2, 4 and 5 and like a gzip file.
  for (const std::size_t length : {0x0280u, 0x0480u, 0x0580u, 0x8b1fu}) {
    write_bytes(folder / "x",
                safetensors(header + std::string(length - header.size(), ' '), kData));
    EXPECT_EQ(load(folder / "x").size(), 1u);
  }
}

Value load_parts(const std::string& header, const std::string& data) {
  return load_bytes(safetensors(header, data));
}

// R11.7-03
TEST(Safetensors, ElementsAreLittleEndianAndRowMajor) {
  const Value v = load_parts(R"({"a":{"dtype":"I16","shape":[2,2],"data_offsets":[0,8]}})",
                             le(1, 2) + le(2, 2) + le(258, 2) + le(0xffff, 2));
  EXPECT_EQ(v["a"].as_tensor().str(),
            "tensor([[  1,   2],\n        [258,  -1]], dtype=torch.int16)");
  EXPECT_EQ(v["a"].as_tensor().strides(), Shape({2, 1}));
}

// R11.7-06
TEST(Safetensors, TensorsFollowDataOrder) {
  const Value v = load_parts(R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},)"
                             R"("a":{"data_offsets":[0,1],"shape":[1],"dtype":"U8"}})",
                             "\1\2");
  EXPECT_EQ(v.str(), "{'a': tensor([1], dtype=torch.uint8), 'b': tensor([2], dtype=torch.uint8)}");
}

// R11.7-07
TEST(Safetensors, RejectsHolesAndOverlap) {
  const auto two = [](const char* first, const char* second) {
    return "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":" + std::string(first) +
           "},\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":" + second + "}}";
  };
  const auto refuses = [](const std::string& header, const std::string& data, const char* words) {
    EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load_parts(header, data); }), words));
  };
  EXPECT_EQ(load_parts(two("[0,2]", "[2,4]"), "1234").size(), 2u);
  refuses(two("[0,2]", "[3,5]"), "12345", "invalid offset for tensor 'b'");
  refuses(two("[0,2]", "[1,3]"), "123", "invalid offset for tensor 'b'");
  refuses(two("[1,3]", "[3,5]"), "12345", "invalid offset for tensor 'a'");
  refuses(two("[0,2]", "[4,2]"), "1234", "invalid offset for tensor 'b'");
  refuses(two("[0,2]", "[2,4]"), "12345", "incomplete metadata, file not fully covered");
  refuses(two("[0,2]", "[2,4]"), "123", "incomplete metadata, file not fully covered");
}

// R11.7-08, R11.7-14
TEST(Safetensors, SizesFollowFromShapeAndDtype) {
  const auto error = [](const char* dtype, const char* shape, std::size_t bytes) {
    const std::string header = "{\"a\":{\"dtype\":\"" + std::string(dtype) +
                               "\",\"shape\":" + shape + ",\"data_offsets\":[0," +
                               std::to_string(bytes) + "]}}";
    return error_text<IoError>([&] { (void)load_parts(header, std::string(bytes, '\0')); });
  };
  const std::vector<std::pair<const char*, std::size_t>> kBytes = {
      {"BOOL", 1},    {"U8", 1},          {"I8", 1},          {"F8_E5M2", 1}, {"F8_E4M3", 1},
      {"F8_E8M0", 1}, {"F8_E4M3FNUZ", 1}, {"F8_E5M2FNUZ", 1}, {"I16", 2},     {"U16", 2},
      {"F16", 2},     {"BF16", 2},        {"I32", 4},         {"U32", 4},     {"F32", 4},
      {"C64", 8},     {"F64", 8},         {"I64", 8},         {"U64", 8}};
  for (const auto& [dtype, bytes] : kBytes) {
    EXPECT_EQ(error(dtype, "[3]", 3 * bytes), "") << dtype;
    EXPECT_TRUE(contains(error(dtype, "[3]", 3 * bytes + 1), "invalid shape, data type, or offset"))
        << dtype;
  }
  EXPECT_EQ(error("F4", "[4]", 2), "");
  EXPECT_EQ(error("F6_E2M3", "[4]", 3), "");
  EXPECT_EQ(error("F6_E3M2", "[4]", 3), "");
  EXPECT_TRUE(contains(error("F4", "[3]", 2), "ends in the middle of a byte"));
  EXPECT_TRUE(
      contains(error("F32", "[4611686018427387904,16]", 4), "overflow computing buffer size"));
  EXPECT_TRUE(contains(error("C128", "[1]", 16), "dtype C128, which is not supported"));
}

// R11.7-11
TEST(Safetensors, ReadsScalarsAndEmptyTensors) {
  const Value v = load_parts(R"({"none":{"dtype":"F32","shape":[3,0,5],"data_offsets":[0,0]},)"
                             R"("one":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                             le(0x3f800000, 4));
  EXPECT_EQ(v["one"].as_tensor().dim(), 0);
  EXPECT_EQ(v["one"].as_tensor().item<float>(), 1);
  EXPECT_EQ(v["none"].as_tensor().shape(), Shape({3, 0, 5}));
}

// R11.7-09
TEST(Safetensors, RejectsHeadersBeyondFileOrLimit) {
  const TempDir folder;
  const std::string path = folder / "x";
  const auto says = [&](const std::string& bytes, const char* words) {
    write_bytes(path, bytes);
    EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load_safetensors(path); }), words));
  };
  says("1234567", "header too small");
  says(le(100'000'001, 8) + "{}", "header too large");
  says(le(3, 8) + "{}", "invalid header length");
  says(le(0, 8) + "{}", "invalid JSON in header");
  says(le(2, 8) + "\xff\xff", "invalid UTF-8 in header");
}

// R11.7-09, R11.7-10
TEST(Safetensors, RejectsMalformedHeaders) {
  const TempDir folder;
  const std::string path = folder / "x.safetensors";
  const auto says = [&](const std::string& header, const char* words) {
    write_bytes(path, safetensors(header, kData));
    expect_refused(path, words);
  };
  const std::string good = "{" + kEntry + "}";
  says(good + std::string(3, '\0'), "zero byte");
  says("\xef\xbb\xbf" + good, "expected an object");
  says("", "expected an object");
  says("[1,2]", "expected an object");
  says(good + "}", "invalid JSON");
  says("/* */" + good, "invalid JSON");
  says("{\"a\xff\":" + kEntry.substr(4) + "}", "invalid UTF-8");
  says("{" + kEntry + "," + kEntry + "}", "duplicate name");
  says(std::string(100000, '{'), "invalid JSON");
  says("{\"a\":" + std::string(100000, '['), "invalid entry of 'a': expected {dtype, shape");
  says("{\"__metadata__\":{\"x\":5}," + kEntry + "}", "'x' is not a string");
  says(R"({"a":{"dtype":"F32","shape":[12.0],"data_offsets":[0,48]}})",
       "not a non-negative integer");
  says(R"({"a":{"dtype":"F32","shape":[-3,-4],"data_offsets":[0,48]}})",
       "not a non-negative integer");
  says(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,48]}})",
       "overflow");
  says(R"({"a":{"dtype":"F31","shape":[12],"data_offsets":[0,48]}})", "has dtype F31");
  says(R"({"a":{"dtype":"F32","shape":[11],"data_offsets":[4,48]}})", "invalid offset");
  says(R"({"a":{"dtype":"F32","shape":[11],"data_offsets":[0,44]}})", "not fully covered");
}

TEST(SafetensorsIndex, LoadsTensorsOfAllShards) {
  const TempDir folder;
  const auto one = [](const char* name) {
    return safetensors("{\"" + std::string(name) + "\"" + kEntry.substr(3) + "}", kData);
  };
  write_bytes(folder / "m-1.safetensors", one("x"));
  write_bytes(folder / "m-2.safetensors", one("y"));
  const std::string path = folder / "m.safetensors.index.json";
  const auto index = [&](const std::string& map) {
    write_bytes(path, "{\"metadata\": {\"total_size\": 96}, \"weight_map\": " + map + "}");
  };
  index(R"({"y": "m-2.safetensors", "x": "m-1.safetensors"})");
  const Value v = load(path);
  EXPECT_EQ(v.size(), 2u);
  EXPECT_EQ(v["x"].as_tensor().numel(), 12);

  index(R"({"x": "m-2.safetensors"})");
  expect_refused(path, "tensor 'x' not found in m-2.safetensors");
  index(R"({"x": 5})");
  expect_refused(path, "invalid shard name: expected a string");
  for (const char* shard : {"../m-1.safetensors", "/etc/passwd", "..", "", "a\\\\b", "a\\u0000b"}) {
    index("{\"x\": \"" + std::string(shard) + "\"}");
    expect_refused(path, "must be a file name without a directory");
  }
  index(R"({"x": "m-9.safetensors"})");
  EXPECT_THROW(load(path), IoError);
  write_bytes(path, "{\"weight_map\": {" + std::string(100, '['));
  expect_refused(path, "index of sharded tensors");
}

}  // namespace
}  // namespace taper
