// Writing the format from before PyTorch 1.6.
#include <gtest/gtest.h>

#include "assemble.h"
#include "support/contains.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;
using namespace std::string_literals;

std::string saved_legacy(const Value& v) {
  const std::vector<std::byte> bytes = save_to_bytes(v, {.format = FileFormat::legacy});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// R11.5-01, R11.5-02, R11.5-03
TEST(SavedLegacy, BeginsWithMagicProtocolAndSystemInfo) {
  const std::string sizes =
      "}(" + text("short") + "K\2" + text("int") + "K\4" + text("long") + "K\4u";
  const std::string head =
      "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s
      "\x80\2M\xe9\3."s +
      pickle("}(" + text("protocol_version") + "M\xe9\3" + text("little_endian") + "\x88" +
             text("type_sizes") + sizes + "u");
  EXPECT_EQ(saved_legacy(5), head + pickle("K\5") + pickle("]"));
}

// R11.5-04, R11.5-05, R11.5-06
TEST(SavedLegacy, StoragesFollowInKeyOrder) {
  Value v = Value::list();
  for (int i = 0; i < 11; ++i) v.append(full({2}, i, {.dtype = int16}));
  const Tensor f = arange(3.0);
  const std::string bytes = saved_legacy(Value::list({v, f[1]}));
  // Repeated strings are memoized.
  EXPECT_TRUE(contains(bytes, "(" + text("storage") + "q"));
  EXPECT_TRUE(contains(bytes, "K\2NtQ")) << "six parts, the last of them None";
  std::string keys, data;
  const char* const order[] = {"0", "1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9"};
  for (const char* key : order) {
    keys += text(key);
    if (key == "11"s)
      data += le(3, 8) + le(0, 4) + le(0x3f800000, 4) + le(0x40000000, 4);
    else
      data += le(2, 8) + le(std::stoul(key), 2) + le(std::stoul(key), 2);
  }
  EXPECT_TRUE(bytes.ends_with(pickle("](" + keys + "e") + data));
}

// R11.5-07
TEST(SavedLegacy, RoundTripsUnchanged) {
  const Tensor w = arange(6.0).view({2, 3});
  Value state = Value::ordered_dict();
  state.as_dict().set("w", w), state.as_dict().set("t", w.t()),
      state.as_dict().set("e", zeros({0}));
  state.as_dict().set_attribute("_metadata", Value::dict({{"", 1}}));
  const std::vector<std::byte> bytes = save_to_bytes(state, {.format = FileFormat::legacy});
  const Value back = load(bytes);
  EXPECT_EQ(back.str(), state.str());
  EXPECT_TRUE(back["w"].as_tensor().shares_storage_with(back["t"].as_tensor()));
  EXPECT_NE(back.as_dict().attribute("_metadata"), nullptr);
}

}  // namespace
}  // namespace taper
