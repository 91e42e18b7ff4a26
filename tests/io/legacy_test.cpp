// Files of the format from before PyTorch 1.6.
#include <gtest/gtest.h>

#include <cstring>

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

std::string floats(int n) {
  std::string bytes;
  for (int i = 0; i < n; ++i) {
    const auto f = static_cast<float>(i);
    char raw[sizeof f];
    std::memcpy(raw, &f, sizeof f);
    bytes.append(raw, sizeof f);
  }
  return bytes;
}
std::string storage(const std::string& view = kNone) {
  return StoragePart{.key = text("7"), .view = view}.str();
}
std::string view(std::int64_t offset, std::int64_t count) {
  return tuple({text("v"), number(offset), number(count)});
}
std::string stored(std::int64_t count, const std::string& bytes) {
  return le(static_cast<std::uint64_t>(count), 8) + bytes;
}
const std::string kKeys = pickle("](" + text("7") + "e");

// R11.5-04, R11.5-06, R11.5-07
TEST(Legacy, TensorsShareFollowingStorages) {
  const TempDir folder;
  const std::string object = pickle(dict({{"w", TensorPart{.storage = storage()}.str()},
                                          {"row", TensorPart{.storage = storage(),
                                                             .offset = number(4),
                                                             .size = tuple({number(4)}),
                                                             .stride = tuple({number(1)})}
                                                      .str()},
                                          {"end", TensorPart{.storage = storage(view(8, 4)),
                                                             .offset = number(1),
                                                             .size = tuple({number(3)}),
                                                             .stride = tuple({number(1)})}
                                                      .str()},
                                          {"same", TensorPart{.storage = storage(view(8, 4)),
                                                              .size = tuple({number(4)}),
                                                              .stride = tuple({number(1)})}
                                                       .str()},
                                          {"net", tuple({text("module"), name("my_project", "Net"),
                                                         text("net.py"), text("class Net: ...")}) +
                                                      "Q"}}));
  write_bytes(folder / "x.pth", legacy(object, kKeys, stored(12, floats(12))));
  const Value v = load(folder / "x.pth");
  const Tensor w = v["w"].as_tensor(), row = v["row"].as_tensor(), end = v["end"].as_tensor();
  EXPECT_EQ(w[2][3].item<float>(), 11);
  EXPECT_EQ(row[0].item<float>(), 4);
  EXPECT_EQ(end[0].item<float>(), 9);
  EXPECT_TRUE(row.shares_storage_with(w));
  w.fill_(5);
  EXPECT_EQ(row[3].item<float>(), 5);
  EXPECT_EQ(end[2].item<float>(), 5);
  EXPECT_TRUE(v["same"].as_tensor().shares_storage_with(w));
  EXPECT_EQ(v["same"].as_tensor()[3].item<float>(), 5);
  EXPECT_EQ(v["net"].as_global().second, "Net");
}

// R11.1-02, R11.1-03, R11.5-01, R11.5-02, R11.5-03, R11.5-05
TEST(Legacy, RequiresEachPart) {
  const std::string object = pickle(dict({{"w", TensorPart{.storage = storage()}.str()}}));
  const std::string rest = object + kKeys + stored(12, floats(12));
  const std::string magic =
      pickle("\x8a\x0a" + std::string("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"));
  const std::string version = pickle("M" + le(1001, 2));
  const std::string machine = pickle(dict({{"protocol_version", number(1)},
                                           {"little_endian", kTrue},
                                           {"type_sizes", dict({{"int", number(4)}})}}));
  const auto says = [&](const std::string& bytes, const char* words) {
    EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load_bytes(bytes); }), words));
  };
  EXPECT_EQ(load_bytes(magic + version + machine + rest)["w"].as_tensor()[2][3].item<float>(), 11);
  EXPECT_EQ(magic.size(), 15u);
  says(version + machine + rest, "Invalid magic number; corrupt file?");
  says(magic + pickle("M" + le(1000, 2)) + machine + rest, "Invalid protocol version: 1000");
  says(magic + machine + rest, "Invalid protocol version");
  says(magic + version + pickle("]") + rest, "invalid system information: expected a dict");
  says(magic + version + machine + object, "truncated");
  says(magic + version + machine + object + pickle("](" + text("8") + "e") + stored(12, floats(12)),
       "unused storage");
  // A tar file of 2016 is detected before a pickle.
  std::string tar = "pickle" + std::string(506, '\0');
  tar.replace(257, 5, "ustar");
  says(tar, "tar file of PyTorch 0.1");
  says("", "the file is empty");
}

TEST(Legacy, RejectsInconsistentFiles) {
  const TempDir folder;
  const std::string path = folder / "x.pth";
  const auto says = [&](const std::string& bytes, const char* words) {
    write_bytes(path, bytes);
    EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load(path); }), words));
  };
  const auto tensor_of = [](const std::string& s) {
    return pickle(dict({{"w", TensorPart{.storage = s}.str()}}));
  };
  const std::string object = tensor_of(storage()), data = floats(12);
  const std::string good = legacy(object, kKeys, stored(12, data));
  write_bytes(path, good);
  EXPECT_EQ(load(path)["w"].as_tensor().numel(), 12);

  says(legacy(object, kKeys, stored(11, floats(11))), "got 11 elements, expected 12");
  says(legacy(object, kKeys, stored(-12, data)), "got -12 elements");
  says(legacy(object, kKeys, stored(12, floats(10))), "truncated in storage '7'");
  says(legacy(object, kKeys, ""), "truncated before storage '7'");
  says(legacy(object, pickle("]"), ""), "storage '7' has no data");
  says(legacy(object, pickle("](" + text("8") + "e"), stored(12, data)), "unused storage");
  says(legacy(object, pickle("](" + text("7") + text("7") + "e"),
              stored(12, data) + stored(12, data)),
       "is duplicated");
  says(legacy(object, pickle("K\x01"), stored(12, data)), "expected a list");
  says(legacy(object,
              pickle("](K\x01"
                     "e"),
              stored(12, data)),
       "got int, expected a string");
  says(legacy(object, pickle(call("os", "system", {text("x")})), ""), "os.system");
  says(legacy(tensor_of(
                  StoragePart{.key = text("7"), .count = number(1LL << 45), .view = kNone}.str()),
              kKeys, stored(12, data)),
       "larger than the file");
  says(legacy(tensor_of(storage(view(8, 12))), kKeys, stored(12, data)), "view out of range");
  says(legacy(tensor_of(storage(view(-4, 12))), kKeys, stored(12, data)), "view out of range");
  says(legacy(tensor_of(storage(view(8, 4))), kKeys, stored(12, data)), "does not fit its storage");
  says(legacy(tensor_of(storage(tuple({text("v")}))), kKeys, stored(12, data)),
       "expected a tuple (key, offset");
  const auto of_view = [](std::int64_t offset, std::int64_t count) {
    return TensorPart{.storage = storage(view(offset, count)),
                      .size = tuple({number(count)}),
                      .stride = tuple({number(1)})}
        .str();
  };
  says(legacy(pickle(dict({{"a", of_view(8, 4)}, {"b", of_view(8, 2)}})), kKeys, stored(12, data)),
       "conflicting definitions of storage view 'v': got 4 elements and 2 elements");
  says(legacy(tensor_of(StoragePart{}.str()), kKeys, stored(12, data)),
       "expected that of a storage");

  std::string other = good;
  other[4] = '\x6d';
  says(other, "Invalid magic number");
  says(pickle(call("torch.storage", "_load_from_bytes", {text("x")})),
       "the pickle was not written by torch.save: (pickle byte 4");
  other = good;
  other.replace(other.find("M\xe9\x03"), 3, "M\xea\x03");
  says(other, "Invalid protocol version: 1002");
  // The error names the type only: the text of a value with shared parts would be unbounded.
  other.replace(other.find("M\xea\x03"), 3, "]K\1\x86");
  says(other, "Invalid protocol version: tuple");
}

}  // namespace
}  // namespace taper
