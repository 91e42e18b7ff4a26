// Files that declare large sizes or expand when read: memory use stays below the size of the file
// plus 64 MB, unless the tensors in the file are larger. R11.2-16, R11.3-22
#include <gtest/gtest.h>

#include <algorithm>

#include "count.h"
#include "io/assemble.h"
#include "taper/core/error.h"
#include "taper/core/memory.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

constexpr std::size_t kBeyondFile = std::size_t{64} << 20;

/// Loads the file and expects that its memory use stays within the limit. The file may be rejected.
void expect_bounded(const std::string& what, const std::string& file) {
  const HeapCount heap;
  memory::reset_peak();
  const std::size_t before = memory::stats().allocated;
  std::string outcome = "read";
  try {
    (void)load(std::as_bytes(std::span(file)));
  } catch (const Error& e) { outcome = e.what(); }
  const std::size_t tensors = memory::stats().peak - before;
  EXPECT_LE(heap.use().peak + tensors, kBeyondFile + file.size())
      << what << ": " << heap.use().peak << " of the heap and " << tensors << " of tensors, "
      << outcome.substr(0, 200);
}

TEST(LoadMemory, IgnoresDeclaredSizes) {
  const std::string huge = le(std::uint64_t{1} << 40, 8),
                    far = "\x8a\x08" + le(std::uint64_t{1} << 40, 8);
  for (const char* op : {"\x8d", "\x8e", "\x96", "\x95"})  // strings, bytes, bytearrays, frames
    expect_bounded("a length of 2^40", checkpoint(pickle(op + huge, 5)));
  for (const char* op : {"X", "T", "B", "\x8b"})
    expect_bounded("a length of 2^31", checkpoint(pickle(op + le(0x7fffffff, 4))));
  expect_bounded("a memo index of 2^32", checkpoint(pickle("}r" + le(0xfffffffe, 4))));
  const std::string storage = StoragePart{.count = far}.str();
  expect_bounded("a storage of 2^40", checkpoint(pickle(TensorPart{.storage = storage}.str())));
  expect_bounded("a legacy storage of 2^40",
                 legacy(pickle(TensorPart{.storage = storage}.str()),
                        pickle("](" + text("0") + "e"), huge + std::string(48, '\0')));
  const TensorPart wide{.size = tuple({far}), .stride = tuple({number(0)})};
  expect_bounded("2^40 elements that are one", checkpoint(pickle(wide.str())));
  expect_bounded("a header of 2^40", huge + "{}");
  expect_bounded("a tensor of 2^40", safetensors(R"({"a":{"dtype":"F32","shape":[1099511627776],)"
                                                 R"("data_offsets":[0,4398046511104]}})",
                                                 ""));
  expect_bounded("an array of 2^40",
                 "\x93NUMPY" + std::string("\1\0", 2) + le(70, 2) +
                     "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), } \n");
}

// Each file has one mebibyte of operations that take one or two bytes and create larger values.
TEST(LoadMemory, IsBoundedForExpandingOperations) {
  constexpr std::size_t kFile = std::size_t{1} << 20;
  const std::pair<const char*, std::string> parts[] = {
      {"None", "N"},
      {"marks", "("},
      {"lists", "]"},
      {"dicts", "}"},
      {"empty tuples", ")"},
      {"sets", "\x8f"},
      {"lists that are dropped", "]0"},
      {"dicts that are dropped", "}0"},
      {"sets that are dropped",
       "\x8f"
       "0"},
      {"texts", std::string("\x8c\0", 2)},
      {"bytes", std::string("C\0", 2)},
      {"integers beyond 64 bits", "\x8a\x09\1\1\1\1\1\1\1\1\1"},
      {"memo entries", "N\x94"},
      {"tuples in tuples", ")\x85"},
      {"lists in lists", "]]a"},
      {"frozen sets", "(\x91"},
      {"globals", "ca\nb\n"},
      {"objects", "ca\nb\n)\x81"},
      {"ordered dicts", kNoHooks},
      {"attributes", kNoHooks + "}" + text("a") + "Nsb"},
      {"objects that hold themselves",
       "ca\nb\n)\x81\x94\x32"
       "b"},
      {"calls of a class", "ca\nB\n)R"},
      {"frozen sets that are dropped",
       "(\x91"
       "0"}};
  for (const auto& [name, part] : parts) {
    const std::string body = repeated(part, kFile / part.size());
    expect_bounded(name, checkpoint(pickle("(" + body + "l", 4)));
    expect_bounded(name + std::string(" left on the stack"), checkpoint(pickle(body, 4)));
  }
  expect_bounded("entries of a dict", checkpoint(pickle("}" + repeated("K\1Ns", kFile / 4))));
  expect_bounded("marks after marks",
                 checkpoint(pickle(repeated("(", kFile / 2) + repeated("t", kFile / 2))));
}

// Each call of getattr takes eight bytes, because its name is in the memo, and creates the name of
// a nested class or a bound method.
TEST(LoadMemory, IsBoundedForComposedNames) {
  constexpr std::size_t kMany = std::size_t{1} << 17;
  for (const int letters : {10, 130, 10'000}) {
    const std::string head = name("builtins", "getattr") + "q" + le(0, 1) + name("m", "N") + "q" +
                             le(1, 1) + text(std::string(static_cast<std::size_t>(letters), 'x')) +
                             "q" + le(2, 1);
    const std::string one = "h" + le(0, 1) + "h" + le(1, 1) + "h" + le(2, 1) + "\x86R";
    expect_bounded("names", checkpoint(pickle("(" + head + repeated(one, kMany) + "l")));
  }
  const std::string head = name("builtins", "getattr") + "q" + le(0, 1) + name("m", "N") +
                           ")\x81q" + le(1, 1) + text("x") + "q" + le(2, 1);
  const std::string one = "h" + le(0, 1) + "h" + le(1, 1) + "h" + le(2, 1) + "\x86R";
  expect_bounded("methods", checkpoint(pickle("(" + head + repeated(one, kMany) + "l")));
}

TEST(LoadMemory, IsBoundedForSharedValues) {
  std::string bomb = "]q" + le(0, 1) + "(" + repeated(text("lol"), 10) + "e0";
  for (std::uint64_t k = 1; k < 60; ++k)
    bomb += "]q" + le(k, 1) + "(" + repeated("h" + le(k - 1, 1), 10) + "e0";
  expect_bounded("ten times itself, 60 times", checkpoint(pickle(bomb + "h" + le(59, 1))));
  expect_bounded("views of one storage",
                 checkpoint(pickle("](" + repeated(TensorPart{}.str(), 5000) + "e")));
}

TEST(LoadMemory, IsProportionalToNesting) {
  constexpr std::size_t kDeep = 500'000;
  expect_bounded("tuples", checkpoint(pickle(")" + repeated("\x85", kDeep))));
  expect_bounded("lists", checkpoint(pickle(repeated("]", 400'000) + repeated("a", 399'999))));
  expect_bounded("arrays of JSON", safetensors(repeated("[", kDeep) + repeated("]", kDeep), ""));
  expect_bounded("objects of JSON",
                 safetensors(repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep), ""));
  expect_bounded("an index", repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep));
  const std::string header = "{'descr': " + repeated("(", 60'000);
  expect_bounded("an array's header",
                 "\x93NUMPY" + std::string("\1\0", 2) + le(header.size(), 2) + header);
}

TEST(LoadMemory, IsBoundedForManyRecordsAndNames) {
  std::vector<std::pair<std::string, std::string>> records = {{"version", "3\n"},
                                                              {"data.pkl", pickle("N")}};
  for (int i = 0; i < 20'000; ++i) records.emplace_back("data/" + std::to_string(i), "");
  expect_bounded("20,000 records", zip(records));
  std::string header = "{";
  for (int i = 0; i < 20'000; ++i)
    header += (i ? ",\"" : "\"") + std::to_string(i) +
              R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  expect_bounded("20,000 tensors", safetensors(header + "}", ""));
  expect_bounded("20,000 shards", R"({"weight_map":{"a":")" + std::string(20'000, 'x') + "\"}}");
}

TEST(LoadMemory, IsReleased) {
  // The first round allocates the objects that exist until the end of the program.
  const std::string files[] = {
      checkpoint(pickle(TensorPart{}.str())),
      checkpoint(pickle("]q" + le(0, 1) + "h" + le(0, 1) + "aN\x85\x93")),
      checkpoint(pickle("}q" + le(0, 1) + text("a") + "h" + le(0, 1) + "sK")),
      safetensors("{}", ""), "nothing"};
  const auto read_all = [&] {
    for (const std::string& file : files) try {
        (void)load(std::as_bytes(std::span(file)));
      } catch (const Error&) { continue; }
  };
  read_all();
  memory::empty_cache();
  const std::size_t before = memory::stats().allocated;
  const HeapCount heap;
  for (int i = 0; i < 10; ++i) read_all();
  EXPECT_EQ(memory::stats().allocated, before);
  EXPECT_LE(heap.use().left_over, 4096);  // pools cache one or two blocks
}

}  // namespace
}  // namespace taper
