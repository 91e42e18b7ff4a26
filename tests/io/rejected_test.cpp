// Malformed and dangerous files are rejected with an error that names the problem; no code is
// executed.
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

struct Refused {
  const char* name;
  std::string pickle;    ///< the whole data.pkl
  const char* expected;  ///< part of the error message
};

std::string in_dict(const std::string& value) { return pickle(dict({{"w", value}})); }
std::string with_storage(const StoragePart& s) {
  return in_dict(TensorPart{.storage = s.str()}.str());
}

std::vector<Refused> calls() {
  const std::string touch = text("touch canary");
  const std::string eval = text("open('canary', 'w')");
  return {
      {"os", pickle(call("os", "system", {touch})), "os.system"},
      {"posix", in_dict(call("posix", "system", {touch})), "posix.system"},
      {"nt", in_dict(call("nt", "system", {touch})), "nt.system"},
      {"sys", in_dict(call("sys", "exit", {})), "sys.exit"},
      {"eval", in_dict(call("builtins", "eval", {eval})),
       "at [\"w\"]: the file calls builtins.eval"},
      {"old eval", in_dict(call("__builtin__", "eval", {eval})), "builtins.eval"},
      {"getattr", in_dict(call("builtins", "getattr", {name("torch", "nn"), text("x")})),
       "builtins.getattr"},
      {"subprocess", in_dict(call("subprocess", "Popen", {touch})), "subprocess.Popen"},
      {"torch.load", in_dict(call("torch", "load", {text("x.pt")})), "torch.load"},
      {"stack global", pickle(text("os") + text("system") + "\x93" + tuple({touch}) + "R", 4),
       "os.system"},
      {"only the name", in_dict(name("os", "system")), "os.system"},
      {"INST", pickle("(" + touch + "ishutil\nrmtree\n"), "shutil.rmtree"},
      {"OBJ", pickle("(" + name("shutil", "rmtree") + touch + "o"), "OBJ"},
      {"EXT", pickle("\x82\x01"), "EXT"},
      {"PERSID", pickle("Pstorage\n"), "PERSID"},
      {"class of a function", in_dict(name("builtins", "eval") + tuple({eval}) + "\x81"),
       "builtins.eval"},
      {"called result", in_dict(call("datetime", "date", {}) + tuple({touch}) + "R"),
       "which is not a class or function"},
      {"rebuild function", in_dict(call("torch._utils", "_rebuild_nothing", {})),
       "torch._utils._rebuild_nothing"},
      {"wrapper",
       in_dict(call("torch._tensor", "_rebuild_from_type_v2",
                    {name("builtins", "eval"), name("torch", "Tensor"), tuple({eval}), kNone})),
       "got the function builtins.eval"},
      {"wrapped wrapper",
       in_dict(call("torch._tensor", "_rebuild_from_type_v2",
                    {name("torch._tensor", "_rebuild_from_type_v2"), name("torch", "Tensor"),
                     tuple({}), kNone})),
       "expected a rebuild function"},
      {"hooks", in_dict(TensorPart{.hooks = call("builtins", "eval", {eval})}.str()),
       "builtins.eval"},
      {"hooks of another type", in_dict(TensorPart{.hooks = number(1)}.str()), "a dict of hooks"},
      {"keywords", in_dict(name("a", "B") + ")" + dict({{"k", kNone}}) + "\x92"), "a.B"},
      {"a text", in_dict(call("_codecs", "encode", {text("x"), text("rot13")})), "latin1"},
  };
}

std::vector<Refused> tensors() {
  const std::string tensor = TensorPart{}.str();
  const std::string three_by_five = tuple({number(3), number(5)});
  return {
      {"tensor as storage", in_dict(TensorPart{.storage = tensor}.str()),
       "argument 0 is Tensor, expected a storage"},
      {"storage as tensor",
       in_dict(call("torch._utils", "_rebuild_parameter", {StoragePart{}.str(), kTrue, kNoHooks})),
       "expected a tensor"},
      {"number as storage", in_dict(TensorPart{.storage = number(5)}.str()), "expected a storage"},
      {"too large", in_dict(TensorPart{.size = three_by_five}.str()), "does not fit its storage"},
      {"offset", in_dict(TensorPart{.offset = number(1)}.str()), "does not fit its storage"},
      {"negative", in_dict(TensorPart{.offset = number(-1)}.str()), "does not fit its storage"},
      {"overflow", in_dict(TensorPart{.offset = number(INT64_MAX)}.str()), "does not fit"},
      {"product wraps",
       in_dict(TensorPart{.size = tuple({number(1LL << 32), number(1LL << 32)}),
                          .stride = tuple({number(0), number(0)})}
                   .str()),
       "does not fit"},
      {"rank", in_dict(TensorPart{.stride = tuple({number(1)})}.str()), "does not fit"},
      {"size of text", in_dict(TensorPart{.size = tuple({text("3")})}.str()), "integers"},
      {"no arguments", in_dict(call("torch._utils", "_rebuild_tensor_v2", {})), "got 0"},
      {"requires_grad", in_dict(TensorPart{.requires_grad = text("yes")}.str()), "argument 4"},
      {"negated",
       in_dict(call("torch._utils", "_rebuild_tensor_v2",
                    {StoragePart{}.str(), number(0), tuple({number(1)}), tuple({number(1)}), kFalse,
                     kNoHooks, dict({{"neg", kTrue}})})),
       "the flag 'neg'"},
      {"storage class", with_storage({.cls = name("torch", "NoSuchStorage")}),
       "torch.NoSuchStorage"},
      {"foreign dtype", with_storage({.cls = name("torch", "ComplexFloatStorage")}),
       "at [\"w\"]: storage '0' of 96 uint8 elements does not match its record of 48 bytes"},
      {"class as a function", with_storage({.cls = name("shutil", "rmtree")}), "shutil.rmtree"},
      {"traversal", with_storage({.key = text("../../etc/passwd")}), "no record 'data/../../etc"},
      {"missing", with_storage({.key = text("17")}), "no record 'data/17'"},
      {"zero in the key", with_storage({.key = text(std::string("0\0x", 3))}), "data/0\\x00x"},
      {"empty key", with_storage({.key = text("")}), "no record 'data/'"},
      {"count lies", with_storage({.count = number(1LL << 40)}), "record of 48 bytes"},
      {"count wraps", with_storage({.count = number(1LL << 62)}), "record of 48 bytes"},
      {"negative count", with_storage({.count = number(-12)}), "has -12 elements"},
      {"location", with_storage({.location = text("xyz:17")}),
       "'xyz:17' is not available; give map_location"},
      {"two counts",
       pickle(tuple({tensor, TensorPart{.storage = StoragePart{.count = number(6)}.str()}.str()})),
       "got 12 elements of float32 and 6"},
      {"persistent id", pickle(tuple({text("module"), name("torch", "FloatStorage")}) + "Q"),
       "expected that of a storage"},
      {"parameter of a number",
       in_dict(call("torch._utils", "_rebuild_parameter", {number(5), kTrue, kNoHooks})),
       "expected a tensor"},
  };
}

std::vector<Refused> structures() {
  std::string bomb = "]q" + le(0, 1) + "(" + text("lol") + text("lol") + "e0";
  for (int i = 1; i < 60; ++i) {
    bomb += "]q" + le(static_cast<std::uint64_t>(i), 1) + "(";
    for (int k = 0; k < 10; ++k) bomb += "h" + le(static_cast<std::uint64_t>(i - 1), 1);
    bomb += "e0";
  }
  std::string key = "(" + text("x") + "tq" + le(0, 1);
  for (int i = 1; i < 60; ++i) {
    key += "0(";
    for (int k = 0; k < 10; ++k) key += "h" + le(static_cast<std::uint64_t>(i - 1), 1);
    key += "tq" + le(static_cast<std::uint64_t>(i), 1);
  }
  return {
      {"nothing", "", "truncated"},
      {"no end", "\x80\x02}", "truncated"},
      {"protocol", pickle("}", 6), "protocol 6 does not exist"},
      {"operation", pickle("\xee"), "operation 238"},
      {"empty stack", "\x80\x02.", "the stack is empty"},
      {"only a mark", pickle("("), "the stack is empty"},
      {"no mark",
       pickle("]K\x01"
              "e"),
       "missing mark"},
      {"half a pair", pickle("}(" + text("a") + "u"), "a key has no value"},
      {"item of a number",
       pickle("K\x01K\x02"
              "a"),
       "cannot append items to a value of type int"},
      {"entry of a list", pickle("]" + text("a") + "K\x01s"),
       "cannot set entries of a value of type list"},
      {"list as key", pickle("}]K\x01s"), "unhashable"},
      {"memo", pickle("h\x07"), "memo entry 7 was never created"},
      {"state of a plain dict", pickle("}}b"), "cannot set the state of a value of type dict"},
      {"state of a tensor", pickle(TensorPart{}.str() + "}b"), "a value of type Tensor"},
      {"deep tuples", pickle(")" + std::string(700'000, '\x85')), "too many containers"},
      {"deep lists", pickle(std::string(700'000, ']') + std::string(699'999, 'a')),
       "too many containers"},
      {"deep marks", pickle(std::string(700'000, '(') + std::string(700'000, 't')),
       "too many containers"},
      {"cycle", pickle("]q" + le(0, 1) + "h" + le(0, 1) + "a"), "contains itself"},
      {"shared without end", pickle(bomb + "h\x3b"), "expand to too many items"},
      {"endless key", pickle("}" + key + "K\x01s"), "a key is too large"},
      {"endless item", pickle("\x8f(" + key + "\x90", 4), "an item of a set is too large"},
      {"frame", pickle("\x95" + le(1ull << 60, 8) + "}", 4),
       "a frame of 1152921504606846976 bytes"},
      {"frame in a frame", pickle("\x95" + le(11, 8) + "\x95" + le(1, 8) + "}", 4),
       "nested frames"},
      {"text beyond its frame",
       pickle("\x95" + le(3, 8) +
                  "\x8c\x04"
                  "abcd",
              4),
       "its frame"},
      {"not UTF-8", pickle("X" + le(4, 4) + "\xff\xfe\xc0\xaf"), "invalid UTF-8 in string"},
      {"overlong", pickle("\x8c\x02\xc0\x80", 4), "invalid UTF-8 in string"},
      {"cut text", pickle("X" + le(100, 4) + "abc"), "truncated"},
      {"huge text", pickle("\x8d" + le(1ull << 63, 8) + "abc", 4), "truncated"},
      {"huge bytes", pickle("\x8e" + le(1ull << 62, 8) + "abc", 4), "truncated"},
      {"long number", pickle("\x8b" + le(0xffffffff, 4) + "\x01"), "negative length"},
      {"integer beyond the limit", pickle("\x8b" + le(4097, 4) + repeated("\1", 4097)),
       "integer too long: 4097 bytes"},
  };
}

class RejectedPickle : public testing::TestWithParam<Refused> {};

TEST_P(RejectedPickle, ReportsFileAndProblem) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  write_bytes(path, checkpoint(GetParam().pickle));
  const std::string message = error_text<IoError>([&] { (void)load(path); });
  EXPECT_TRUE(contains(message, path)) << GetParam().name;
  EXPECT_TRUE(contains(message, GetParam().expected)) << GetParam().name;
  EXPECT_LT(message.size(), 600u);
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_FALSE(std::filesystem::exists("canary"));
}
INSTANTIATE_TEST_SUITE_P(Calls, RejectedPickle, testing::ValuesIn(calls()));
INSTANTIATE_TEST_SUITE_P(Tensors, RejectedPickle, testing::ValuesIn(tensors()));
INSTANTIATE_TEST_SUITE_P(Structures, RejectedPickle, testing::ValuesIn(structures()));

// The size is limited because converting an integer to decimal takes time quadratic in its size.
TEST(PickledInteger, RejectsMoreThan4096Bytes) {
  const auto digits = [](std::size_t bytes) {
    return load_pickle(pickle("\x8b" + le(bytes, 4) + repeated("\1", bytes))).as_string().size();
  };
  EXPECT_EQ(digits(4096), 9862u);
  EXPECT_THROW(digits(4097), IoError);
}

TEST(RejectedFile, ReportsDetectedKind) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  const auto error = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    return error_text<IoError>([&] { (void)load(path); });
  };
  const auto says = [&](const std::string& bytes, const char* words) {
    EXPECT_TRUE(contains(error(bytes), words));
  };
  says("", "the file is empty");
  says("weights", "expected a file written by torch.save, safetensors or NumPy");
  says("<!DOCTYPE html><html></html>", "got an HTML page");
  says("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer");
  says(pickle(text("an ordinary pickle")), "not written by torch.save");
  says(pickle(call("os", "system", {text("x")})), "os.system");
  says(zip({{"readme", "hi"}}), "expected a record 'data.pkl'");
  says(zip({{"data.pkl", pickle("}")}}), "no record 'version'");
  says(zip({{"data.pkl", pickle("}")}, {"version", "999"}}), "format version '999'");
  says(zip({{"data.pkl", pickle("}")}, {"version", "3"}, {"byteorder", "middle"}}), "endianness");
  says(zip({{"data.pkl", pickle("}")}, {"version", std::string(100, '3')}}), "has 100 bytes");
  says(zip({{"data.pkl", pickle("}")}, {"data.pkl", pickle("}")}, {"version", "3"}}),
       "two records named");
  says(zip({{"data.pkl", pickle("}")}, {"constants.pkl", ""}}), "TorchScript");
}

}  // namespace
}  // namespace taper
