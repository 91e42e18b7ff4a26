// Checks that the work of reading a file is linear in its size, measured by heap allocations rather
// than time.
// R11.3-22, R11.3-23
#include <gtest/gtest.h>

#include <functional>

#include "count.h"
#include "io/assemble.h"
#include "support/error_text.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;
using Maker = std::function<std::string(std::size_t)>;

HeapUse use_of(const std::string& file) {
  const HeapCount heap;
  const std::string error = test::error_text([&] { (void)load(std::as_bytes(std::span(file))); });
  const HeapUse use = heap.use();
  EXPECT_EQ(error.substr(0, 300), "") << "a file that is rejected early is read in linear time";
  return use;
}

/// Expects that a file of 2n items requires at most 2.5 times the allocations of one of n items.
/// Copying all earlier items for each new one would require 4 times as many.
void expect_linear(const Maker& make, std::size_t n = 20'000) {
  const HeapUse one = use_of(make(n)), two = use_of(make(2 * n));
  constexpr std::uint64_t kFixed = 2'000'000;  // bytes of tables that grow in steps
  EXPECT_LE(two.bytes, 5 * one.bytes / 2 + kFixed);
  EXPECT_LE(two.requests, 5 * one.requests / 2 + 1000);
}

std::string concatenated(std::size_t n, const std::function<std::string(std::size_t)>& part) {
  std::string s;
  for (std::size_t i = 0; i < n; ++i) s += part(i);
  return s;
}
std::string word(std::size_t i) { return "J" + le(i, 4); }

TEST(LoadTime, IsLinearInSingleItems) {
  expect_linear([](std::size_t n) {
    return checkpoint(pickle("]" + concatenated(n, [](std::size_t i) { return word(i) + "a"; })));
  });
  expect_linear([](std::size_t n) {
    return checkpoint(pickle("}" + concatenated(n, [](std::size_t i) { return word(i) + "Ns"; })));
  });
  expect_linear([](std::size_t n) {
    return checkpoint(pickle(
        "}" + concatenated(n, [](std::size_t i) { return text("k" + std::to_string(i)) + "Ns"; })));
  });
}
TEST(LoadTime, IsLinearInBatches) {
  expect_linear(
      [](std::size_t n) { return checkpoint(pickle("](" + concatenated(n, word) + "e")); });
  expect_linear([](std::size_t n) {
    return checkpoint(pickle("\x8f(" + concatenated(n, word) + "\x90", 4));
  });
}
TEST(LoadTime, IsLinearInMemoEntries) {
  expect_linear([](std::size_t n) {
    return checkpoint(
        pickle("](" +
               concatenated(
                   n, [](std::size_t i) { return word(i) + "r" + le(i, 4) + "j" + le(i / 2, 4); }) +
               "e"));
  });
}
/// Loads n objects that contain themselves, and n nested objects that contain themselves and, in
/// the innermost, the outermost one. Memo entry `i` is object i.
TEST(LoadTime, IsLinearInCycles) {
  expect_linear([](std::size_t n) {
    return checkpoint(pickle(
        "](" +
        concatenated(
            n,
            [](std::size_t i) {
              return name("a", "B") + ")\x81r" + le(i, 4) + dict({{"me", "j" + le(i, 4)}}) + "b";
            }) +
        "e"));
  });
  expect_linear(
      [](std::size_t n) {
        std::string s;
        for (std::size_t i = 0; i < n; ++i)
          s += name("a", "B") + ")\x81r" + le(i, 4) + "}" + text("n");
        for (std::size_t i = n; i-- > 0;)
          s += (i + 1 == n ? "j" + le(0, 4) : "") + "s" + text("p") + "j" + le(i, 4) + "sb";
        return checkpoint(pickle(s));
      },
      2000);
}
TEST(LoadTime, IsLinearInNesting) {
  expect_linear([](std::size_t n) {
    return checkpoint(pickle(")" + concatenated(n, [](std::size_t) { return "\x85"; })));
  });
  expect_linear([](std::size_t n) {
    return checkpoint(pickle(concatenated(n, [](std::size_t) { return "}K\1"; }) + "N" +
                             concatenated(n, [](std::size_t) { return "s"; })));
  });
}
TEST(LoadTime, IsLinearInTensors) {
  const std::string one = TensorPart{}.str();
  expect_linear(
      [&](std::size_t n) {
        return checkpoint(pickle("](" + concatenated(n, [&](std::size_t) { return one; }) + "e"));
      },
      2000);
}
TEST(LoadTime, IsLinearInRecordsAndStorages) {
  expect_linear(
      [](std::size_t n) {
        std::vector<std::pair<std::string, std::string>> records = {{"version", "3\n"}};
        std::string tensors;
        for (std::size_t i = 0; i < n; ++i) {
          records.emplace_back("data/" + std::to_string(i), std::string(48, '\1'));
          tensors += TensorPart{.storage = StoragePart{.key = text(std::to_string(i))}.str()}.str();
        }
        records.emplace_back("data.pkl", pickle("](" + tensors + "e"));
        return zip(records);
      },
      2000);
  expect_linear(
      [](std::size_t n) {
        std::string tensors, keys, data;
        for (std::size_t i = 0; i < n; ++i) {
          const StoragePart part{.key = text(std::to_string(i)), .view = kNone};
          tensors += TensorPart{.storage = part.str()}.str();
          keys += text(std::to_string(i));
          data += le(12, 8) + std::string(48, '\1');
        }
        return legacy(pickle("](" + tensors + "e"), pickle("](" + keys + "e"), data);
      },
      2000);
}
TEST(LoadTime, IsLinearInHeaderNames) {
  expect_linear(
      [](std::size_t n) {
        return safetensors(
            "{" +
                concatenated(n,
                             [](std::size_t i) {
                               return (i ? ",\"" : "\"") + std::to_string(i) +
                                      R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
                             }) +
                "}",
            "");
      },
      5000);
}

}  // namespace
}  // namespace taper
