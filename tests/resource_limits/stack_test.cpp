// Files nested half a million levels deep, read on a thread with a stack of 256 KiB (1 MiB under
// sanitizers, whose frames are larger). R11.3-06, R11.3-07
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "core/build.h"
#include "io/assemble.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/pickled_module.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

void on_small_stack(const std::function<void()>& work) {
  constexpr std::size_t kStack = std::size_t{build::kInstrumented ? 1024 : 256} << 10;
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

/// Reads or rejects the file; if it is read, also prints, compares, saves and inspects the result.
void expect_survived(const std::string& file) {
  on_small_stack([&] {
    try {
      const Value v = load(std::as_bytes(std::span(file)));
      (void)pickled_module(v);
      const std::function<void()> uses[] = {[&] { (void)v.str(); }, [&] { (void)(v == v); },
                                            [&] { (void)save_to_bytes(v); },
                                            [&] { (void)state_dict_of(v); }};
      for (const auto& use : uses) try {
          use();
        } catch (const Error&) {
          continue;  // nested too deeply for this use: reported by an error
        }
    } catch (const Error&) { return; }
  });
}

constexpr std::size_t kDeep = 500'000;

TEST(LoadStack, SufficesForDeepTuples) {
  expect_survived(checkpoint(pickle(")" + repeated("\x85", kDeep))));
}
TEST(LoadStack, SufficesForDeepLists) {
  expect_survived(checkpoint(pickle(repeated("]", kDeep) + repeated("a", kDeep - 1))));
}
TEST(LoadStack, SufficesForDeepDicts) {
  expect_survived(checkpoint(pickle(repeated("}K\1", kDeep) + "N" + repeated("s", kDeep))));
}
TEST(LoadStack, SufficesForDeepKeys) {
  expect_survived(checkpoint(pickle("})" + repeated("\x85", kDeep) + "Ns")));
}
TEST(LoadStack, SufficesForDeepObjects) {
  const std::string object = "ca\nB\n";
  expect_survived(checkpoint(pickle(repeated(object, kDeep) + ")" + repeated("\x81\x85", kDeep))));
}
TEST(LoadStack, SufficesForDeepStatesOfObjects) {
  expect_survived(checkpoint(pickle(repeated("ca\nB\n)\x81", kDeep) + "N" + repeated("b", kDeep))));
}
TEST(LoadStack, SufficesForDeepItemsOfObjects) {
  expect_survived(checkpoint(pickle(repeated("ca\nB\n)\x81", kDeep) + "N" + repeated("a", kDeep))));
}
TEST(LoadStack, SufficesForDeepAttributes) {
  const std::string dict = kNoHooks + "}" + text("a");
  expect_survived(checkpoint(pickle(repeated(dict, 100'000) + "N" + repeated("sb", 100'000))));
}
TEST(LoadStack, SufficesForDeepModules) {
  const std::string module = "ctorch.nn\nM\n)\x81}(" + text("_parameters") + "}" +
                             text("_buffers") + "}" + text("_modules") + "}" + text("m");
  expect_survived(checkpoint(pickle(repeated(module, 50'000) + "N" + repeated("sub", 50'000))));
}
TEST(LoadStack, SufficesForDeepLegacyFiles) {
  expect_survived(legacy(pickle(")" + repeated("\x85", kDeep)), pickle("]"), ""));
  expect_survived(legacy(pickle("N"), pickle(")" + repeated("\x85", kDeep)), ""));
}
TEST(LoadStack, SufficesForDeepSafetensorsHeaders) {
  expect_survived(safetensors(repeated("[", kDeep) + repeated("]", kDeep), ""));
  expect_survived(safetensors(repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep), ""));
  expect_survived(
      safetensors("{\"__metadata__\":" + repeated("[", kDeep) + repeated("]", kDeep) + "}", ""));
}
TEST(LoadStack, SufficesForDeepSafetensorsIndices) {
  expect_survived(repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep));
  expect_survived("{\"weight_map\":" + repeated("[", kDeep) + repeated("]", kDeep) + "}");
}
TEST(LoadStack, SufficesForDeepNpyHeaders) {
  const std::string header = "{'descr': " + repeated("[", kDeep);
  expect_survived("\x93NUMPY" + std::string("\2\0", 2) + le(header.size(), 4) + header);
}

}  // namespace
}  // namespace taper
