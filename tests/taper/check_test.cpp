// The subcommand `taper check`.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "command.h"
#include "taper/core/factory.h"
#include "taper/io/save.h"

namespace taper::cli::test {
namespace {

using namespace std::string_literals;
using taper::Value;

class Check : public testing::Test {
 protected:
  std::string file(const Value& value, const std::string& name = "a.pt") const {
    taper::save(value, folder / name);
    return folder / name;
  }
  /// Returns the severity that one check reports; "none" if it is absent.
  static std::string severity(const Outcome& o, const std::string& check) {
    const nlohmann::json answer = o.json();
    for (const auto& c : answer["checks"])
      if (c["check"] == check) return c["severity"];
    return "none";
  }
  TempDir folder;
};

TEST_F(Check, FindsNothingInValidFile) {
  const Outcome o = run({"check", file(small_state()), "--json"});
  EXPECT_EQ(o.status, 0) << o.out;
  for (const char* what : {"damage", "values", "names", "copies", "code"})
    EXPECT_EQ(severity(o, what), "ok") << what;
  EXPECT_TRUE(contains(run({"check", folder / "a.pt"}).out, "no findings"));
}

TEST_F(Check, FindsNaN) {
  const Outcome o =
      run({"check", file(Value::dict({{"w", taper::tensor({1.0f, std::nanf(""), HUGE_VALF})}})),
           "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(severity(o, "values"), "error");
  EXPECT_TRUE(contains(o.out, "w: 1 NaN and 1 inf"));
}

TEST_F(Check, FindsPrefixesOfWrapperModules) {
  for (const char* name : {"module.fc.weight", "_orig_mod.fc.weight", "net.module.module.w"}) {
    const Outcome o = run({"check", file(Value::dict({{name, taper::ones({2})}})), "--json"});
    EXPECT_EQ(o.status, 1) << name;
    EXPECT_EQ(severity(o, "names"), "error") << name;
  }
  // Parts of a checkpoint can have any name, and indices can repeat.
  EXPECT_EQ(run({"check", file(Value::dict({{"module", small_state()}}))}).status, 0);
  EXPECT_EQ(run({"check", file(Value::dict({{"layer.0.0.weight", taper::ones({2})}}))}).status, 0);
}

TEST_F(Check, NotesCopies) {
  const taper::Tensor t = taper::rand({8, 8});
  const Outcome o =
      run({"check", file(Value::dict({{"a", t}, {"b", t.clone()}, {"c", t}})), "--json"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(severity(o, "copies"), "note");
  EXPECT_TRUE(contains(o.out, "b = a"));
  EXPECT_FALSE(contains(o.out, "c = a")) << "shared, not copied";
  EXPECT_EQ(severity(run({"check",
                          file(Value::dict({{"a", taper::zeros({64})}, {"b", taper::zeros({64})}})),
                          "--json"}),
                     "copies"),
            "ok");
}

TEST_F(Check, FindsDamageThatLoadIgnores) {
  const std::string path = file(Value::dict({{"w", taper::ones({100})}}));
  std::string bytes = read_bytes(path);
  const std::size_t at = bytes.find("\0\0\x80\x3f\0\0\x80\x3f"s);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1] = 1;
  write_bytes(path, bytes);
  EXPECT_EQ(run({"show", path}).status, 0);
  const Outcome o = run({"check", path, "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(severity(o, "damage"), "error");
}

TEST_F(Check, FindsCodeWithoutRunningIt) {
  const std::string canary = folder / "canary";
  const std::string command = "touch " + canary;
  std::string pickle = "\x80\2cos\nsystem\nX"s;
  pickle += static_cast<char>(command.size());
  pickle += "\0\0\0"s + command + "\x85R."s;
  write_bytes(folder / "evil.pt", pickle);
  const Outcome o = run({"check", folder / "evil.pt", "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(severity(o, "damage"), "error");
  EXPECT_EQ(severity(o, "values"), "skipped");
  EXPECT_EQ(severity(o, "code"), "error");
  EXPECT_TRUE(contains(o.out, "os.system: called; dangerous, byte 2")) << o.out;
  for (const char* verb : {"show", "convert"}) run({verb, folder / "evil.pt", folder / "x.pt"});
  EXPECT_FALSE(std::filesystem::exists(canary));
}

// Whatever a command prints about a dangerous file, it does not advise to load it in Python.
TEST_F(Check, DoesNotAdviseToLoadDangerousFiles) {
  const std::string pickle = "\x80\2cos\nsystem\nX\4\0\0\0true\x85R."s;
  std::string tar = "pickle" + std::string(506, '\0') + pickle + std::string(2048, '\0');
  tar.replace(124, 12, "00000000031"s + '\0');  // its size in octal digits
  tar.replace(257, 5, "ustar");
  for (const std::string& bytes : {pickle, tar, pickle.substr(0, pickle.size() - 1)}) {
    write_bytes(folder / "evil.pt", bytes);
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"check", folder / "evil.pt"},
          {"show", folder / "evil.pt"},
          {"diff", folder / "evil.pt", folder / "evil.pt"},
          {"convert", folder / "evil.pt", folder / "x.safetensors"},
          {"predict", "lenet", "--weights", folder / "evil.pt", "--image", "x.png"}}) {
      const Outcome o = run(line);
      EXPECT_EQ(o.status, 1) << line[0];
      EXPECT_TRUE(contains(o.out + o.err, "Do not load it in Python, which would call os.system"))
          << line[0] << o.out << o.err;
      EXPECT_FALSE(contains(o.out + o.err, "save it")) << o.out << o.err;
    }
    EXPECT_EQ(severity(run({"check", folder / "evil.pt", "--json"}), "code"), "error");
  }
}

TEST_F(Check, NamesUserDefinedClasses) {
  taper::Opaque object;
  object.callable = Value::global("my_project.nets", "Net");
  object.arguments = Value::tuple();
  object.is_new = true;
  object.state = Value::dict({{"w", taper::ones({2})}});
  const Outcome o = run({"check", file(Value::opaque(std::move(object))), "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.out, "Python would import my_project.nets"));
  EXPECT_FALSE(contains(o.out, "dangerous"));
}

// Checks the shards of an index: the index itself is not a pickle, but its shards are.
TEST_F(Check, FindsCodeInEveryShard) {
  file(small_state(), "good.bin");
  write_bytes(folder / "evil.bin", "\x80\2cos\nsystem\nX\2\0\0\0ls\x85R."s);
  write_bytes(folder / "model.bin.index.json",
              R"({"weight_map": {"fc.weight": "good.bin", "w": "evil.bin"}})");
  const Outcome o = run({"check", folder / "model.bin.index.json", "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(severity(o, "code"), "error") << o.out;
  EXPECT_TRUE(contains(o.out, "os.system: called; dangerous, byte 2 of evil.bin")) << o.out;
}

TEST_F(Check, ComparesChecksumsOfShards) {
  file(Value::dict({{"w", taper::ones({100})}}), "w.bin");
  write_bytes(folder / "model.bin.index.json", R"({"weight_map": {"w": "w.bin"}})");
  const Outcome good = run({"check", folder / "model.bin.index.json"});
  EXPECT_EQ(good.status, 0) << good.out;
  EXPECT_TRUE(contains(good.out, "match their checksums"));
  std::string bytes = read_bytes(folder / "w.bin");
  bytes[bytes.find("\0\0\x80\x3f"s) + 1] = 1;
  write_bytes(folder / "w.bin", bytes);
  const Outcome o = run({"check", folder / "model.bin.index.json", "--json"});
  EXPECT_EQ(severity(o, "damage"), "error") << o.out;
}

// An array of Python objects contains a pickle, which numpy.load(allow_pickle=True) executes.
TEST_F(Check, FindsCodeInObjectArrays) {
  std::string header = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n";
  std::string array = "\x93NUMPY\1\0"s + static_cast<char>(header.size()) + '\0' + header;
  write_bytes(folder / "a.npy", array + "\x80\2cos\nsystem\nX\2\0\0\0ls\x85R."s);
  const Outcome o = run({"check", folder / "a.npy", "--json"});
  EXPECT_EQ(severity(o, "code"), "error") << o.out;
  EXPECT_TRUE(contains(o.out, "os.system: called"));
}

// Every command terminates quickly and without a crash for a file damaged at any byte.
TEST_F(Check, SurvivesDamageAnywhere) {
  const std::string good = read_bytes(file(Value::dict({{"epoch", 3}, {"model", small_state()}})));
  for (std::size_t i = 0; i < good.size(); i += 61) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
    write_bytes(folder / "b.pt", bytes);
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"show", folder / "b.pt", "--stats", "--tree"},
          {"check", folder / "b.pt"},
          {"diff", folder / "a.pt", folder / "b.pt"}}) {
      const Outcome o = run(line);
      EXPECT_TRUE(o.status == 0 || o.status == 1)
          << line[0] << " of byte " << i << ": " << o.status << o.err;
    }
  }
}

}  // namespace
}  // namespace taper::cli::test
