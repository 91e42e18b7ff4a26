// The rules of torch.load(weights_only=True), and Taper's result for each of them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "assemble.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

void expect_rejected(const std::string& data_pkl, const std::string& words, bool strict = false) {
  EXPECT_TRUE(contains(
      error_text<IoError>([&] { (void)load_pickle(data_pkl, {.strict = strict}); }), words));
}
std::string as_x(const std::string& value) { return pickle(dict({{"x", value}})); }

// R11.4-01
TEST(WeightsOnly, StrictAllowsNamesThatPyTorchAllows) {
  for (const auto& [module, last] :
       std::vector<std::pair<const char*, const char*>>{{"collections", "OrderedDict"},
                                                        {"collections", "Counter"},
                                                        {"torch.nn.parameter", "Parameter"},
                                                        {"torch.serialization", "_get_layout"},
                                                        {"torch", "Size"},
                                                        {"torch", "Tensor"},
                                                        {"torch", "device"},
                                                        {"_codecs", "encode"},
                                                        {"builtins", "bytearray"},
                                                        {"__builtin__", "set"},
                                                        {"builtins", "complex"},
                                                        {"torch", "float32"},
                                                        {"torch", "uint7"},
                                                        {"torch", "bits1x8"},
                                                        {"torch", "bcomplex32"},
                                                        {"torch", "FloatTensor"},
                                                        {"torch.cuda", "HalfTensor"},
                                                        {"torch.cuda.sparse", "LongTensor"},
                                                        {"torch", "BFloat16Storage"},
                                                        {"torch.storage", "TypedStorage"},
                                                        {"torch", "per_channel_affine"},
                                                        {"torch._utils", "_rebuild_sparse_tensor"},
                                                        {"torch._tensor", "_rebuild_from_type_v2"},
                                                        {"torch.tensor", "_rebuild_from_type_v2"}})
    EXPECT_NO_THROW(load_pickle(as_x(name(module, last)), {.strict = true}))
        << module << "." << last;
  for (const auto& [module, last] :
       std::vector<std::pair<const char*, const char*>>{{"torch._utils", "_rebuild_nested_tensor"},
                                                        {"numpy", "ndarray"},
                                                        {"builtins", "slice"},
                                                        {"builtins", "frozenset"},
                                                        {"torch.nn.modules.linear", "Linear"},
                                                        {"torch", "float33"},
                                                        {"torch", "uint9"},
                                                        {"torch", "load"},
                                                        {"torch", "MyTensor"},
                                                        {"collections", "defaultdict"}}) {
    EXPECT_NO_THROW(load_pickle(as_x(name(module, last)))) << module << "." << last;
    expect_rejected(as_x(name(module, last)),
                    "at [\"x\"]: strict: the file names " + std::string(module) + "." + last, true);
  }
}

// R11.4-02
TEST(WeightsOnly, RejectsSystemModules) {
  for (const char* module : {"sys", "os", "posix", "nt"})
    for (const bool strict : {false, true})
      expect_rejected(as_x(name(module, "anything")),
                      std::string(module) + ".anything, which checkpoints do not use", strict);
}

// R11.4-03
TEST(WeightsOnly, RejectsUnknownFunctionsAndKeepsUnknownClassesAsData) {
  expect_rejected(as_x(call("my_project", "make", {number(1)})), "the file calls my_project.make");
  const std::string object = as_x(name("my_project", "Net") + ")\x81");
  EXPECT_EQ(load_pickle(object)["x"].kind(), Value::Kind::opaque);
  expect_rejected(object, "my_project.Net", true);
}

// R11.4-04
TEST(WeightsOnly, CreatesObjectsOfAllowedClasses) {
  const std::string ordered = name("collections", "OrderedDict") + ")\x81" + text("a") + "K\x01s";
  EXPECT_EQ(load_pickle(pickle(ordered), {.strict = true}).str(), "OrderedDict([('a', 1)])");
  expect_rejected(as_x(name("builtins", "eval") + ")\x81"),
                  "builtins.eval is created, which is not a class");
}

// R11.4-05, R11.4-13
TEST(WeightsOnly, CallsOnlyAllowedFunctions) {
  EXPECT_EQ(load_pickle(pickle(call("torch", "Size", {tuple({number(2), number(3)})}))).as_size(),
            Shape({2, 3}));
  for (const auto& [module, last] :
       std::vector<std::pair<const char*, const char*>>{{"builtins", "getattr"},
                                                        {"functools", "partial"},
                                                        {"torch.jit", "load"},
                                                        {"torch._utils", "_rebuild"},
                                                        {"torch", "FloatStorage"},
                                                        {"numpy", "load"}})
    expect_rejected(as_x(call(module, last, {})), std::string("the file calls ") + module + "." +
                                                      last + ", which checkpoints do not use");
  expect_rejected(pickle(TensorPart{}.str() + ")R"),
                  "Tensor is called, which is not a class or function");
}

// R11.4-06
TEST(WeightsOnly, StateAppliesToOrderedDictsAndObjects) {
  const std::string ordered = name("collections", "OrderedDict") + ")R";
  const Value v = load_pickle(pickle(ordered + dict({{"_metadata", "}"}}) + "b"));
  EXPECT_TRUE(v.as_dict().attribute("_metadata")->is_dict());
  expect_rejected(pickle("}}b"), "cannot set the state of a value of type dict");
  expect_rejected(pickle("]}b"), "cannot set the state of a value of type list");
  EXPECT_EQ(
      load_pickle(pickle(name("my_project", "Net") + ")\x81" + dict({{"a", number(1)}}) + "b"))
          .as_opaque()
          .state["a"]
          .as_int(),
      1);
}

// R11.4-07, R11.4-08
TEST(WeightsOnly, ItemsApplyToListsAndEntriesToDicts) {
  EXPECT_EQ(load_pickle(pickle("]K\x01"
                               "a"))
                .str(),
            "[1]");
  expect_rejected(pickle(")K\x01"
                         "a"),
                  "cannot append items to a value of type tuple");
  expect_rejected(pickle("}(K\x01K\x02"
                         "e"),
                  "cannot append items to a value of type dict");
  EXPECT_EQ(load_pickle(pickle(name("collections", "Counter") + ")R" + text("a") + "K\x02s")).str(),
            "Counter({'a': 2})");
  expect_rejected(pickle("]" + text("a") + "K\x01s"), "cannot set entries of a value of type list");
}

// R11.4-09
TEST(WeightsOnly, PersistentIdMustBeOfStorage) {
  expect_rejected(pickle(text("storage") + "Q"), "expected that of a storage");
  expect_rejected(pickle("K\x05Q"), "expected that of a storage");
  expect_rejected(
      pickle(tuple({text("module"), number(1), text("0"), text("cpu"), number(12)}) + "Q"),
      "expected that of a storage");
}

// R11.4-10
TEST(WeightsOnly, RejectsUnsupportedOpcodes) {
  expect_rejected(pickle("\x82\x01"), "operation EXT");
  expect_rejected(pickle("I1\n"), "operation 'I' of the textual protocol 0");
  expect_rejected(pickle("\x97"), "operation 151");
  for (int protocol = 2; protocol <= 5; ++protocol)
    EXPECT_EQ(load_pickle(pickle("K\x07", protocol)).as_int(), 7);
  expect_rejected(pickle("K\x07", 6), "pickle protocol 6 does not exist");
}

// R11.4-11
TEST(WeightsOnly, ReportsPositionOfDamage) {
  expect_rejected("\x80\x02}", "pickle byte 3: the pickle is truncated");
  expect_rejected(pickle("0"), "pickle byte 3: the stack is empty");
  expect_rejected(pickle("h\x09"), "pickle byte 4: memo entry 9 was never created");
}

// R11.4-12
TEST(WeightsOnly, EnvironmentVariableEnablesStrict) {
  const std::string object = as_x(name("my_project", "Net") + ")\x81");
  struct Variables {
    ~Variables() {
      unsetenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD");
      unsetenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD");
    }
  } const variables;
  EXPECT_NO_THROW(load_pickle(object));
  setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1", 1);
  expect_rejected(object, "strict: the file names my_project.Net");
  setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1", 1);
  EXPECT_THROW(load_pickle(object), RuntimeError);
  setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0", 1);
  EXPECT_NO_THROW(load_pickle(object));
}

}  // namespace
}  // namespace taper
