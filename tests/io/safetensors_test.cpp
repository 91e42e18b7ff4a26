// The safetensors format, and the index of several files.
#include <gtest/gtest.h>

#include "assemble.h"
#include "folder.h"
#include "taper/core/error.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

const std::string kData(48, '\1');
const std::string kEntry = R"("a":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]})";

void expect_refused(const std::string& path, const char* words) {
  try {
    const Value v = load(path);
    ADD_FAILURE() << "read as " << v.str().substr(0, 200) << ", expected: " << words;
  } catch (const IoError& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
  }
}

TEST(Safetensors, HoldsTensorsAndWhatIsSaidOfThem) {
  const Folder folder;
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

TEST(Safetensors, AreToldFromPicklesWhateverTheLengthOfTheirHeader) {
  const Folder folder;
  const std::string header = "{" + kEntry + "}";
  for (const std::size_t length : {0x0280u, 0x0480u, 0x0580u, 0x8b1fu}) {  // protocols 2 to 5, gzip
    write_bytes(folder / "x",
                safetensors(header + std::string(length - header.size(), ' '), kData));
    EXPECT_EQ(load(folder / "x").size(), 1u);
  }
}

TEST(Safetensors, HeadersThatAreNotTheirOwnJsonAreRefused) {
  const Folder folder;
  const std::string path = folder / "x.safetensors";
  const auto says = [&](const std::string& header, const char* words) {
    write_bytes(path, safetensors(header, kData));
    expect_refused(path, words);
  };
  const std::string good = "{" + kEntry + "}";
  says(good + std::string(3, '\0'), "zero byte");
  says("\xef\xbb\xbf" + good, "it is no object");
  says("", "it is no object");
  says("[1,2]", "it is no object");
  says(good + "}", "invalid JSON");
  says("/* */" + good, "invalid JSON");
  says("{\"a\xff\":" + kEntry.substr(4) + "}", "invalid UTF-8");
  says("{" + kEntry + "," + kEntry + "}", "a name appears twice");
  says(std::string(100000, '{'), "invalid JSON");
  says("{\"a\":" + std::string(100000, '['), "the entry of 'a' is not {dtype, shape");
  says("{\"__metadata__\":{\"x\":5}," + kEntry + "}", "'x' is no text");
  says(R"({"a":{"dtype":"F32","shape":[12.0],"data_offsets":[0,48]}})", "no whole number");
  says(R"({"a":{"dtype":"F32","shape":[-3,-4],"data_offsets":[0,48]}})", "no whole number");
  says(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,48]}})",
       "overflow");
  says(R"({"a":{"dtype":"F31","shape":[12],"data_offsets":[0,48]}})", "has dtype F31");
  says(R"({"a":{"dtype":"F32","shape":[11],"data_offsets":[4,48]}})", "invalid offset");
  says(R"({"a":{"dtype":"F32","shape":[11],"data_offsets":[0,44]}})", "not fully covered");
}

TEST(SafetensorsIndex, GathersTheTensorsOfTheFilesBesideIt) {
  const Folder folder;
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
  expect_refused(path, "'x' is not in m-2.safetensors");
  index(R"({"x": 5})");
  expect_refused(path, "a file's name is no text");
  for (const char* shard : {"../m-1.safetensors", "/etc/passwd", "..", "", "a\\\\b", "a\\u0000b"}) {
    index("{\"x\": \"" + std::string(shard) + "\"}");
    expect_refused(path, "is no plain name of a file beside it");
  }
  index(R"({"x": "m-9.safetensors"})");
  EXPECT_THROW(load(path), IoError);
  write_bytes(path, "{\"weight_map\": {" + std::string(100, '['));
  expect_refused(path, "index of sharded tensors");
}

}  // namespace
}  // namespace taper
