// read_csv by several threads: results and errors are those of one thread.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/error_text.h"
#include "support/sampling.h"
#include "taper/core/factory.h"
#include "taper/core/parallel.h"
#include "taper/data/csv.h"
#include "taper/ops/scan.h"

namespace taper {
namespace {

using data::CsvOptions, data::CsvTable;
using test::error_text;

constexpr int kRows = 20'000;  // more than a megabyte

/// Returns a table whose row i ends with `field(i)`.
std::string make_csv(const std::function<std::string(int)>& field) {
  std::string text = "id,value,x\n";
  for (int i = 0; i < kRows; ++i) text += fmt::format("{},0.{:050},{}\n", i, i, field(i));
  return text;
}

CsvTable read(int threads, const std::string& text, const CsvOptions& options) {
  const int before = get_num_threads();
  set_num_threads(threads);
  const std::shared_ptr<void> restore(nullptr, [&](void*) { set_num_threads(before); });
  return data::read_csv(std::as_bytes(std::span(text)), options);
}

void expect_same(const std::string& text, const CsvOptions& options = {}) {
  const CsvTable one = read(1, text, options), four = read(4, text, options);
  ASSERT_EQ(one.size(), four.size());
  ASSERT_EQ(one.names(), four.names());
  for (const std::string& name : one.names()) {
    ASSERT_EQ(one[name].dtype(), four[name].dtype()) << name;
    EXPECT_EQ(one[name].missing(), four[name].missing()) << name;
    if (one[name].is_string()) {
      EXPECT_EQ(one[name].strings(), four[name].strings()) << name;
    } else if (one[name].dtype() != DType::bool_ || one[name].missing() == 0) {
      const Tensor a = one[name].tensor(), b = four[name].tensor();
      EXPECT_TRUE(a.is_floating_point() ? a.allclose(b, 0, 0, /*equal_nan=*/true) : equal(a, b))
          << name;
    }
    for (std::int64_t i = 0; i < one.size(); i += 777)
      EXPECT_EQ(one[name].is_missing(i), four[name].is_missing(i)) << name << ", row " << i;
  }
}

std::string error_of(int threads, const std::string& text, const CsvOptions& options = {}) {
  return error_text([&] { read(threads, text, options); });
}

/// Fields that are `first` before row `change`, and `later` in some rows from then on.
std::string table_with_change(const std::string& first, const std::string& later, int change) {
  return make_csv([&](int i) { return i < change || (i - change) % 999 != 0 ? first : later; });
}

TEST(ReadCsvByThreads, FindsTheTypeOfAllRows) {
  const std::vector<std::string> fields = {"7",    "-3",   "18446744073709551615",
                                           "0.5",  "True", "word",
                                           "1e30", "",     "123456789012345678901234567890"};
  test::Sample sample(5);
  for (const std::string& first : fields)
    for (const std::string& later : fields)
      for (const int change : {500, 15'000}) {
        if (!sample.next()) continue;
        SCOPED_TRACE(first + " then " + later + " from row " + std::to_string(change));
        expect_same(table_with_change(first, later, change));
      }
}

TEST(ReadCsvByThreads, FindsTypesThatChangeTwice) {
  const std::vector<std::string> fields = {"", "-7", "18446744073709551615", "False", "word"};
  for (const std::string& first : fields)
    for (const std::string& second : fields) {
      SCOPED_TRACE(first + " then " + second);
      expect_same(make_csv([&](int i) {
        return i < 7'000 ? std::string() : i < 14'000 ? first : second;
      }));
    }
}

TEST(ReadCsvByThreads, ReadsQuotesOfAllLengths) {
  std::string lines = "\"";
  for (int i = 0; i < kRows; ++i) lines += fmt::format("{},{},{}\n", i, i, i);
  lines += "\"";
  for (const int row : {100, 2'000, 9'000, 19'000}) {
    SCOPED_TRACE(row);
    expect_same(make_csv([&](int i) { return i == row ? "\"a\nb\"" : std::string("c"); }));
    expect_same(make_csv([&](int i) { return i == row ? lines : std::string("c"); }));
  }
}

TEST(ReadCsvByThreads, ReadsOtherDialects) {
  const auto integer = [](int i) { return std::to_string(i % 90); };
  expect_same(make_csv(integer), {.na_values = {"17"}});
  expect_same(make_csv(integer), {.skiprows = {1, 15'000}});
  expect_same(make_csv(integer), {.usecols = std::vector<std::string>{"x", "id"}});
  expect_same(make_csv(integer), {.nrows = 15'000});
  expect_same(make_csv(integer), {.dtype = {{"x", DType::i8}}});
  expect_same(make_csv([](int i) { return i % 500 == 0 ? "1 # text" : std::string("2"); }),
              {.comment = '#'});
  expect_same(make_csv([](int i) { return i % 3000 == 0 ? "1,2,3" : std::string("2"); }),
              {.on_bad_lines = data::BadLines::skip});
  expect_same(make_csv([](int i) { return i % 3000 == 0 ? "1\n\n \n7" : std::string("2"); }));
  expect_same(make_csv([](int) { return std::string("2\r"); }));
}

TEST(ReadCsvByThreads, ReportsTheFirstError) {
  const std::string wide = make_csv([](int i) {
    return i == 12'000 ? "1,2" : i == 18'000 ? "1,2,3" : std::string("2");
  });
  EXPECT_EQ(error_of(4, wide), "read_csv: <bytes>: line 12002: expected 3 fields, got 4");
  const std::string large = make_csv([](int i) { return std::to_string(i / 140); });
  const CsvOptions bytes{.dtype = {{"x", DType::i8}}};
  EXPECT_EQ(error_of(4, large, bytes), error_of(1, large, bytes));
  const std::string cut = make_csv([](int) { return std::string("2"); }) + "1,2";
  EXPECT_EQ(error_of(4, cut), error_of(1, cut));
  EXPECT_NE(error_of(4, cut), "");
  const std::string open = make_csv([](int i) { return i == 8'000 ? "\"2" : std::string("2"); });
  EXPECT_EQ(error_of(4, open), "read_csv: <bytes>: line 8002: missing closing quote");
}

}  // namespace
}  // namespace taper
