// Files nested up to 400,000 levels deep are read on a thread with a stack of 256 KiB, or of 1 MiB
// under sanitizers and without optimization, where frames are larger. R11.3-06, R11.3-07
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "core/build.h"
#include "io/assemble.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/pickled_module.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

void on_small_stack(const std::function<void()>& work) {
#ifdef __OPTIMIZE__
  constexpr bool kLargeFrames = build::kInstrumented;
#else
  constexpr bool kLargeFrames = true;
#endif
  constexpr std::size_t kStack = std::size_t{kLargeFrames ? 1024 : 256} << 10;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread;
  const auto run = [](void* p) -> void* {
    (*static_cast<const std::function<void()>*>(p))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// Expects that the file is read, and that printing, comparing, saving and inspecting the result
/// succeed or report that it is nested too deep.
void expect_read(const std::string& file) {
  on_small_stack([&] {
    Value v;
    ASSERT_NO_THROW(v = load(std::as_bytes(std::span(file))));
    (void)pickled_module(v);
    const std::function<void()> uses[] = {[&] { (void)v.str(); }, [&] { (void)(v == v); },
                                          [&] { (void)save_to_bytes(v); },
                                          [&] { (void)state_dict_of(v); }};
    for (const auto& use : uses)
      if (const std::string error = error_text(use); !error.empty()) {
        EXPECT_TRUE(contains(error, "maximum recursion depth exceeded") ||
                    contains(error, "nested too deep"))
            << error.substr(0, 300);
      }
  });
}

/// Expects that loading the file fails with an error that ends with `reason`.
void expect_rejected(const std::string& file, std::string_view reason) {
  on_small_stack([&] {
    const std::string error =
        error_text<IoError>([&] { (void)load(std::as_bytes(std::span(file))); });
    EXPECT_TRUE(error.ends_with(reason)) << error.substr(0, 300);
  });
}

// Larger depths exceed the limits on containers and dicts in a file of this size.
constexpr std::size_t kDeep = 400'000, kDeepDicts = 100'000;

TEST(LoadStack, ReadsTuples) { expect_read(checkpoint(pickle(")" + repeated("\x85", kDeep)))); }
TEST(LoadStack, ReadsLists) {
  expect_read(checkpoint(pickle(repeated("]", kDeep) + repeated("a", kDeep - 1))));
}
TEST(LoadStack, ReadsDicts) {
  expect_read(checkpoint(pickle(repeated("}K\1", kDeepDicts) + "N" + repeated("s", kDeepDicts))));
}
TEST(LoadStack, RejectsMoreContainersThanTheLimit) {
  constexpr std::size_t kTooMany = 500'000;
  const std::string tuples = ")" + repeated("\x85", kTooMany),
                    lists = repeated("]", kTooMany) + repeated("a", kTooMany - 1);
  for (const std::string& containers : {tuples, lists}) {
    const std::string file = pickle(containers);
    expect_rejected(checkpoint(file),
                    "too many containers for a file of " + std::to_string(file.size()) + " bytes");
  }
}
TEST(LoadStack, RejectsNestedKeys) {
  const auto file = [](std::size_t depth) {
    return checkpoint(pickle("})" + repeated("\x85", depth) + "Ns"));
  };
  expect_read(file(900));
  expect_rejected(file(2000), "maximum recursion depth exceeded while hashing");
  expect_rejected(file(kDeep), "a key is too large");
}
TEST(LoadStack, ReadsObjects) {
  const std::string object = "ca\nB\n";
  expect_read(checkpoint(pickle(repeated(object, kDeep) + ")" + repeated("\x81\x85", kDeep))));
}
TEST(LoadStack, ReadsStatesOfObjects) {
  expect_read(checkpoint(pickle(repeated("ca\nB\n)\x81", kDeep) + "N" + repeated("b", kDeep))));
}
TEST(LoadStack, ReadsItemsOfObjects) {
  expect_read(checkpoint(pickle(repeated("ca\nB\n)\x81", kDeep) + "N" + repeated("a", kDeep))));
}
TEST(LoadStack, ReadsAttributes) {
  const std::string dict = kNoHooks + "}" + text("a");
  expect_read(checkpoint(pickle(repeated(dict, 100'000) + "N" + repeated("sb", 100'000))));
}
TEST(LoadStack, ReadsModules) {
  const std::string module = "ctorch.nn\nM\n)\x81}(" + text("_parameters") + "}" +
                             text("_buffers") + "}" + text("_modules") + "}" + text("m");
  expect_read(checkpoint(pickle(repeated(module, 50'000) + "N" + repeated("sub", 50'000))));
}
TEST(LoadStack, ReadsLegacyFiles) {
  expect_read(legacy(pickle(")" + repeated("\x85", kDeep)), pickle("]"), ""));
}
TEST(LoadStack, RejectsNestedKeysOfLegacyFiles) {
  expect_rejected(legacy(pickle("N"), pickle(")" + repeated("\x85", kDeep)), ""),
                  "invalid storage keys: expected a list");
}
TEST(LoadStack, RejectsNestedSafetensorsHeaders) {
  expect_rejected(safetensors(repeated("[", kDeep) + repeated("]", kDeep), ""),
                  "invalid JSON in header: expected an object");
  expect_rejected(
      safetensors(repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep), ""),
      "invalid JSON in header: invalid entry of 'a': expected {dtype, shape, data_offsets}");
  expect_rejected(
      safetensors("{\"__metadata__\":" + repeated("[", kDeep) + repeated("]", kDeep) + "}", ""),
      "invalid JSON in header: __metadata__ is not an object");
}
TEST(LoadStack, RejectsNestedIndexFiles) {
  const std::string reason =
      "an index of sharded tensors refers to files in its directory: expected a path";
  expect_rejected(repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep), reason);
  expect_rejected("{\"weight_map\":" + repeated("[", kDeep) + repeated("]", kDeep) + "}", reason);
}
TEST(LoadStack, RejectsNestedNpyHeaders) {
  const std::string header = "{'descr': " + repeated("[", kDeep);
  expect_rejected(
      "\x93NUMPY" + std::string("\2\0", 2) + le(header.size(), 4) + header,
      "unterminated structured dtype (character " + std::to_string(header.size()) + ")");
}

}  // namespace
}  // namespace taper
