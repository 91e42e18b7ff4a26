// Writing safetensors files, compared byte by byte, and rejected values.
#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/io/shared_tensors.h"

namespace taper {
namespace {

using namespace test;

std::string bytes_of(const Value& v, SaveOptions options = {}) {
  options.format = FileFormat::safetensors;
  const std::vector<std::byte> bytes = save_to_bytes(v, options);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// Returns the header without its length and padding.
std::string header_of(const Value& v, const SaveOptions& options = {}) {
  const std::string bytes = bytes_of(v, options);
  std::size_t size = 0;
  for (std::size_t i = 8; i-- > 0;) size = size << 8 | static_cast<unsigned char>(bytes[i]);
  const std::string header = bytes.substr(8, size);
  return header.substr(0, header.find_last_not_of(' ') + 1);
}
template <class E> std::string error_of(const Value& v, const SaveOptions& options = {}) {
  return error_text<E>([&] { (void)bytes_of(v, options); });
}

// R11.7-01, R11.7-02, R11.7-03, R11.7-04, R11.7-12
TEST(SavedSafetensors, EqualsFileOfSafetensorsLibrary) {
  const Value v = Value::dict(
      {{"b", tensor({1.0, -2.0}, {.dtype = float32})}, {"a", tensor({7}, {.dtype = int64})}});
  // Output of safetensors.torch.save for the same dict.
  const std::string header = R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})"
                             "    ";
  ASSERT_EQ(header.size() % 8, 0u);
  EXPECT_EQ(bytes_of(v), safetensors(header, le(7, 8) + le(0x3f800000, 4) + le(0xc0000000, 4)));
  EXPECT_EQ(bytes_of(Value::dict()), safetensors("{}      ", ""));
}

// R11.7-12, R11.7-13
TEST(SavedSafetensors, OrdersTensorsByDtypeThenName) {
  Value v = Value::dict();
  const std::pair<const char*, DType> ours[] = {
      {"BOOL", DType::bool_}, {"U8", uint8},   {"I8", int8},     {"I16", int16},   {"F16", float16},
      {"BF16", bfloat16},     {"I32", int32},  {"F32", float32}, {"F64", float64}, {"I64", int64},
      {"U16", uint16},        {"U32", uint32}, {"U64", uint64}};
  for (const auto& [name, dtype] : ours) v.as_dict().set(name, zeros({2}, {.dtype = dtype}));
  const auto foreign = [&](const char* name, const char* dtype, std::int64_t bytes) {
    v.as_dict().set(name, to_value({.dtype = dtype,
                                    .shape = {2},
                                    .strides = {1},
                                    .bytes = zeros({bytes}, {.dtype = uint8})}));
  };
  foreign("C64", "complex64", 16), foreign("F8_E4M3", "float8_e4m3fn", 2);
  foreign("F8_E5M2", "float8_e5m2", 2), foreign("F8_E8M0", "float8_e8m0fnu", 2);
  foreign("F8_E4M3FNUZ", "float8_e4m3fnuz", 2), foreign("F8_E5M2FNUZ", "float8_e5m2fnuz", 2);
  foreign("F4", "float4_e2m1fn", 1), foreign("F6_E2M3", "float6_e2m3fn", 2);
  v["F6_E2M3"] = to_value({.dtype = "float6_e2m3fn",
                           .shape = {4},
                           .strides = {1},
                           .bytes = zeros({3}, {.dtype = uint8})});
  v.as_dict().set("F6_E3M2", to_value({.dtype = "float6_e3m2fn",
                                       .shape = {4},
                                       .strides = {1},
                                       .bytes = zeros({3}, {.dtype = uint8})}));
  v.as_dict().set("A BOOL", zeros({1}, {.dtype = DType::bool_}));
  const std::string header = header_of(v);
  const char* const order[] = {"U64",         "I64",     "F64",     "C64",     "F32", "U32",
                               "I32",         "BF16",    "F16",     "U16",     "I16", "F8_E5M2FNUZ",
                               "F8_E4M3FNUZ", "F8_E8M0", "F8_E4M3", "F8_E5M2", "I8",  "U8",
                               "F6_E3M2",     "F6_E2M3", "F4",      "A BOOL",  "BOOL"};
  std::size_t at = 0;
  for (const char* name : order) {
    const std::string dtype = std::string(name) == "A BOOL" ? "BOOL" : name;
    const std::size_t next = header.find("\"" + std::string(name) + "\":{\"dtype\":\"" + dtype);
    ASSERT_NE(next, std::string::npos) << name << " in " << header;
    EXPECT_GE(next, at) << name;
    at = next;
  }
}

// R11.7-14
TEST(SavedSafetensors, SizesFollowFromBitsOfDtype) {
  const auto entry = [](const char* dtype, const Shape& shape, std::int64_t bytes) {
    return header_of(Value::dict({{"x", to_value({.dtype = dtype,
                                                  .shape = shape,
                                                  .strides = {shape[1], 1},
                                                  .bytes = zeros({bytes}, {.dtype = uint8})})}}));
  };
  EXPECT_EQ(entry("float4_e2m1fn_x2", {2, 3}, 6),
            R"({"x":{"dtype":"F4","shape":[2,6],"data_offsets":[0,6]}})");
  EXPECT_EQ(entry("float6_e2m3fn", {2, 4}, 6),
            R"({"x":{"dtype":"F6_E2M3","shape":[2,4],"data_offsets":[0,6]}})");
  EXPECT_EQ(entry("complex64", {1, 2}, 16),
            R"({"x":{"dtype":"C64","shape":[1,2],"data_offsets":[0,16]}})");
  const Value large = Value::dict({{"x", to_value({.dtype = "complex128",
                                                   .shape = {1},
                                                   .strides = {1},
                                                   .bytes = zeros({16}, {.dtype = uint8})})}});
  EXPECT_EQ(error_of<ValueError>(large),
            "save: Key `x` is a tensor of torch.complex128, which safetensors does not support");
}

// R11.7-05
TEST(SavedSafetensors, MetadataIsFirst) {
  const Value v = Value::dict({{"x", zeros({1})}});
  const std::string entry = R"("x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const SaveOptions said{.metadata = {{{"format", "pt"}, {"a", "\xc3\xa9\"\n\x01\\"}}}};
  EXPECT_EQ(header_of(v, said),
            "{\"__metadata__\":{\"a\":\"\xc3\xa9\\\"\\n\\u0001\\\\\",\"format\":\"pt\"}," + entry);
  EXPECT_EQ(header_of(v, {.metadata = std::map<std::string, std::string>{}}),
            "{\"__metadata__\":{}," + entry);
  v.as_dict().set_attribute("__metadata__", Value::dict({{"z", "1"}, {"b", "2"}}));
  EXPECT_EQ(header_of(v), R"({"__metadata__":{"z":"1","b":"2"},)" + entry);
  EXPECT_TRUE(contains(header_of(v, said), "\"format\""));
  EXPECT_TRUE(contains(error_of<ValueError>(v, {.metadata = {{{"a", "\xff"}}}}), "not UTF-8"));
}

// R11.7-11
TEST(SavedSafetensors, WritesScalarsAndEmptyTensors) {
  EXPECT_EQ(header_of(Value::dict({{"s", tensor(1.0)}, {"e", zeros({0, 3})}})),
            R"({"e":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]},)"
            R"("s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})");
}

// R11.7-15
TEST(SavedSafetensors, RejectsAllButDictsOfContiguousTensors) {
  EXPECT_EQ(error_of<ValueError>(Value::list()),
            "save: Expected a dict of [str, torch.Tensor] but received <class 'list'>");
  EXPECT_EQ(error_of<ValueError>(Value::dict({{"a", 5}})),
            "save: Key `a` is invalid, expected torch.Tensor but received <class 'int'>");
  EXPECT_EQ(error_of<TypeError>(Value::dict({{5, zeros({1})}})),
            "save: Key `5` is invalid, expected str but received <class 'int'>");
  EXPECT_TRUE(contains(error_of<ValueError>(Value::dict({{"m", zeros({2, 3}).t()}})),
                       "You are trying to save a non contiguous tensor: `m` which is not allowed"));
  Opaque sparse;
  sparse.callable = Value::global("torch._utils", "_rebuild_sparse_tensor");
  sparse.arguments = Value::tuple();
  EXPECT_TRUE(contains(error_of<ValueError>(Value::dict({{"s", Value::opaque(sparse)}})),
                       "You are trying to save a sparse tensors: `['s']`"));
  EXPECT_TRUE(contains(
      error_of<NotImplementedError>(Value::dict({{"x", zeros({2}, {.device = Device::meta()})}})),
      "Cannot copy out of meta tensor; no data!"));
  EXPECT_TRUE(contains(error_of<ValueError>(Value::dict({{"__metadata__", zeros({1})}})),
                       "is reserved in safetensors files"));
  EXPECT_TRUE(contains(error_of<ValueError>(Value::dict({{"\xff", zeros({1})}})), "not UTF-8"));
}

// R11.7-15
TEST(SavedSafetensors, RejectsOrSplitsSharedMemory) {
  const Tensor x = arange(6.0);
  const Value tied = Value::dict({{"b", x},
                                  {"y", zeros({1})},
                                  {"a", x.view({2, 3})},
                                  {"part", x[5]},
                                  {"none", x.slice(0, 0, 0)}});
  const std::string error = error_of<RuntimeError>(tied);
  EXPECT_TRUE(contains(error, "Some tensors share memory"));
  EXPECT_TRUE(contains(error, "loading them again: [{'a', 'b', 'part'}]."));
  const Value halves = Value::dict({{"a", x.slice(0, 0, 3)}, {"b", x.slice(0, 3, 6)}});
  EXPECT_EQ(error_of<RuntimeError>(halves), "");
  const auto groups = shared_tensors(tied);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].whole, (std::vector<std::string>{"a", "b"}));

  const TempDir folder;
  save(tied, folder / "x.safetensors",
       {.format = FileFormat::safetensors, .shared = SharedTensors::split});
  const Value back = load(folder / "x.safetensors");
  EXPECT_FALSE(back["a"].as_tensor().shares_storage_with(back["b"].as_tensor()) &&
               back["a"].as_tensor().storage_offset() == back["b"].as_tensor().storage_offset());
  EXPECT_EQ(back["a"].as_tensor()[1][2].item<float>(), 5);
  EXPECT_EQ(back["part"].as_tensor().item<float>(), 5);
}

// R11.7-14
TEST(SavedSafetensors, ForeignDtypesRoundTrip) {
  const TempDir folder;
  const std::string header = R"({"x":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]}})"
                             "      ";
  write_bytes(folder / "a.safetensors", safetensors(header, "abc"));
  save(load(folder / "a.safetensors"), folder / "b.safetensors",
       {.format = FileFormat::safetensors});
  EXPECT_EQ(test::read_bytes(folder / "b.safetensors"), test::read_bytes(folder / "a.safetensors"));
}

TEST(SavedSafetensors, OtherFormatsRejectItsOptions) {
  EXPECT_THROW(save_to_bytes(Value(), {.metadata = {{{"a", "b"}}}}), ValueError);
  EXPECT_THROW(save_to_bytes(Value(), {.max_shard_size = 5}), ValueError);
  EXPECT_THROW(bytes_of(Value::dict(), {.max_shard_size = 5}), ValueError);
}

TEST(ByteCount, ParsesNumbersAndStrings) {
  EXPECT_EQ(ByteCount("5GB").value(), 5'000'000'000u);
  EXPECT_EQ(ByteCount("512 MiB").value(), 512u << 20);
  EXPECT_EQ(ByteCount("10kb").value(), 10'000u);
  EXPECT_EQ(ByteCount("7").value(), 7u);
  EXPECT_EQ(ByteCount(7).value(), 7u);
  for (const char* text : {"", "GB", "-5", "5XB", "99999999999TB", "1.5GB"})
    EXPECT_THROW(ByteCount{text}, ValueError) << text;
}

TEST(SavedShards, AreSplitBySizeWithIndex) {
  const TempDir folder;
  const std::string path = folder / "model.safetensors";
  const Value v = Value::dict({{"a", zeros({2})},
                               {"b", ones({2})},
                               {"large", zeros({100})},
                               {"c", ones({1})},
                               {"d", zeros({3})}});
  v.as_dict().set_attribute("__metadata__", Value::dict({{"format", "pt"}}));
  save(v, path, {.format = FileFormat::safetensors, .max_shard_size = "20B"});
  EXPECT_EQ(folder.count(), 4u);
  // The tensors are split and the index is formatted as by huggingface_hub.
  EXPECT_EQ(test::read_bytes(path + ".index.json"), R"({
  "metadata": {
    "format": "pt",
    "total_size": 432
  },
  "weight_map": {
    "a": "model-00002-of-00003.safetensors",
    "b": "model-00002-of-00003.safetensors",
    "c": "model-00002-of-00003.safetensors",
    "d": "model-00003-of-00003.safetensors",
    "large": "model-00001-of-00003.safetensors"
  }
}
)");
  const Value back = load(path + ".index.json");
  EXPECT_EQ(back.size(), 5u);
  EXPECT_EQ(back["b"].as_tensor()[1].item<float>(), 1);
  const Value last = load(folder / "model-00003-of-00003.safetensors");
  EXPECT_EQ(last.as_dict().attribute("__metadata__")->str(), "{'format': 'pt'}");
}

// A loader must not mistake shards of an earlier save for new ones. huggingface_hub removes them as
// well.
TEST(SavedShards, RemovesShardsOfEarlierSave) {
  const TempDir folder;
  const std::string path = folder / "m.safetensors";
  const auto save_in = [&](const char* size) {
    save(Value::dict({{"a", zeros({2})}, {"b", zeros({2})}, {"c", zeros({2})}}), path,
         {.format = FileFormat::safetensors, .max_shard_size = size});
  };
  for (const char* other : {"m-00001-of-00002.bin", "mm-00001-of-00002.safetensors",
                            "m-1-of-2.safetensors", "m-00001-of-0000x.safetensors"})
    write_bytes(folder / other, "somebody's");
  save_in("8B");  // three shards and an index
  EXPECT_EQ(folder.count(), 4u + 4u);
  save_in("16B");
  EXPECT_EQ(folder.count(), 4u + 3u);
  EXPECT_EQ(load(path + ".index.json").size(), 3u);
  save_in("1KB");
  EXPECT_EQ(folder.count(), 4u + 1u);
  EXPECT_EQ(load(path).size(), 3u);
  save_in("8B");
  EXPECT_EQ(folder.count(), 4u + 4u) << "without the single file, which loaders would prefer";
}

TEST(SavedShards, WritesSingleFileIfItFits) {
  const TempDir folder;
  save(Value::dict({{"a", zeros({2})}}), folder / "m.safetensors",
       {.format = FileFormat::safetensors, .max_shard_size = "1GB"});
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_EQ(load(folder / "m.safetensors").size(), 1u);
  save(Value::dict(), folder / "none", {.format = FileFormat::safetensors, .max_shard_size = 0});
  EXPECT_EQ(load(folder / "none").size(), 0u);
}

TEST(SavedSafetensors, RejectsTheExtensionForOtherFormats) {
  const TempDir folder;
  const std::string path = folder / "net.safetensors";
  EXPECT_TRUE(contains(
      error_text<ValueError>([&] {
        save(Value::dict({{"w", ones({2})}}), path);
      }),
      "net.safetensors' is the name of a safetensors file: set .format = FileFormat::safetensors"));
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
}  // namespace taper
