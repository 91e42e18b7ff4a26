// read_csv: types, missing values, dialects, selection of columns, and errors with their lines. The
// rules are those of pandas, of which the oracle cases test more.
#include "taper/data/csv.h"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <sstream>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/gzip_file.h"
#include "support/temp_dir.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"

namespace taper {
namespace {

using data::CsvOptions, data::CsvTable, data::read_csv;
using test::error_text;
using Strings = std::vector<std::string>;

CsvTable parse_csv(const std::string& text, const CsvOptions& options = {}) {
  return read_csv(std::as_bytes(std::span(text)), options);
}

std::string csv_error(const std::string& text, const CsvOptions& options = {}) {
  return error_text([&] { parse_csv(text, options); });
}

std::vector<double> numbers(const CsvTable& table, const char* name) {
  const Tensor values = table[name].tensor().to(DType::f64);
  const auto elements = values.data<double>();
  return {elements.begin(), elements.end()};
}

TEST(ReadCsv, InfersTypes) {
  const CsvTable t =
      parse_csv("i,u,f,b,s,m\n1,18446744073709551615,0.5,True,x,1\n-2,0,1e3,FALSE,\"y, z\",two\n");
  EXPECT_EQ(t.size(), 2);
  EXPECT_EQ(t.names(), (Strings{"i", "u", "f", "b", "s", "m"}));
  EXPECT_EQ(t["i"].dtype(), DType::i64);
  EXPECT_EQ(t["u"].dtype(), DType::u64);
  EXPECT_EQ(t["u"].tensor()[0].item<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(t["f"].dtype(), DType::f64);
  EXPECT_EQ(numbers(t, "f"), (std::vector<double>{0.5, 1000}));
  EXPECT_EQ(t["b"].dtype(), DType::bool_);
  EXPECT_TRUE(equal(t["b"].tensor(), tensor({true, false})));
  EXPECT_EQ(t["s"].strings(), (Strings{"x", "y, z"}));
  EXPECT_EQ(t["m"].strings(), (Strings{"1", "two"}));
}

TEST(ReadCsv, FallsBackToStringsAfterNumbers) {
  const CsvTable t = parse_csv(
      "a,b,c,d\n1,True,1,-1\n2,1,,9223372036854775808\n3.50,x,99999999999999999999,3\nx,y,,4\n");
  EXPECT_EQ(t["a"].strings(), (Strings{"1", "2", "3.50", "x"}));
  EXPECT_EQ(t["b"].strings(), (Strings{"True", "1", "x", "y"}));
  EXPECT_EQ(t["c"].strings(), (Strings{"1", "", "99999999999999999999", ""}));
  EXPECT_EQ(t["c"].missing(), 2);
  EXPECT_EQ(t["d"].strings(), (Strings{"-1", "9223372036854775808", "3", "4"}));
}

TEST(ReadCsv, MarksMissingValues) {
  const CsvTable t = parse_csv("i,s,b,e\n1,x,True,\n,NA,,\n3,none,False,\n");
  EXPECT_EQ(t["i"].dtype(), DType::f64);
  EXPECT_TRUE(t["i"].is_missing(1));
  EXPECT_EQ(t["i"].missing(), 1);
  EXPECT_TRUE(t["s"].is_missing(1));
  EXPECT_FALSE(t["s"].is_missing(-1));
  EXPECT_EQ(t["s"].text(2), "none");
  EXPECT_EQ(t["b"].missing(), 1);
  EXPECT_EQ(error_text<ValueError>([&] { t["b"].tensor(); }),
            "tensor: column 'b' of bools has 1 missing values");
  EXPECT_EQ(t["e"].dtype(), DType::f64);
  EXPECT_EQ(t["e"].missing(), 3);
}

TEST(ReadCsv, RoundsCorrectly) {
  const CsvTable t = parse_csv(
      "x\n0.1\n0.30000000000000004\n123456789012345678901234567890.5\n1.7976931348623157e308\n5e-"
      "324\n"
      "1e400\n-1e-400\n9007199254740993.0\n2.2250738585072011e-308\n");
  const std::vector<double> expected = {0.1,
                                        0.30000000000000004,
                                        123456789012345678901234567890.5,
                                        1.7976931348623157e308,
                                        5e-324,
                                        std::numeric_limits<double>::infinity(),
                                        -0.0,
                                        9007199254740992.0,
                                        2.2250738585072011e-308};
  EXPECT_EQ(numbers(t, "x"), expected);
  EXPECT_TRUE(std::signbit(numbers(t, "x")[6]));
  const std::string zeros(400, '0');
  EXPECT_EQ(numbers(parse_csv("x\n0." + zeros + "1\n1" + zeros + "e-400\n"), "x"),
            (std::vector<double>{0, 1}));
}

TEST(ReadCsv, ReadsQuotesEscapesAndComments) {
  const CsvTable t =
      parse_csv("a,b # names\n\"x\"\"y\",\"1\n2\"\r\n# whole\n\\,z,\"q\\\"r\"\r\"p\"t,\"\"\n",
                {.escapechar = '\\', .comment = '#'});
  EXPECT_EQ(t["a"].strings(), (Strings{"x\"y", ",z", "pt"}));
  EXPECT_EQ(t.columns()[1].name(), "b ");
  EXPECT_EQ(t.columns()[1].text(0), "1\n2");
  EXPECT_EQ(t.columns()[1].text(1), "q\"r");
  EXPECT_TRUE(t.columns()[1].is_missing(2));
}

TEST(ReadCsv, ReadsOtherDialects) {
  EXPECT_EQ(
      numbers(parse_csv("a;b\n1.234,5;x\n", {.sep = ";", .thousands = '.', .decimal = ','}), "a"),
      std::vector<double>{1234.5});
  const CsvTable blanks = parse_csv("  a \t b\n1   2  \n\n 3\t4", {.sep = "\\s+"});
  EXPECT_EQ(numbers(blanks, "a"), (std::vector<double>{1, 3}));
  EXPECT_EQ(numbers(blanks, "b"), (std::vector<double>{2, 4}));
  EXPECT_EQ(parse_csv("a\nd\xe9j\xe0\n", {.encoding = "latin-1"})["a"].text(0),
            "d\xc3\xa9j\xc3\xa0");
}

TEST(ReadCsv, SelectsColumnsAndRows) {
  const std::string text = "junk\na,b,c\n1,2,3\n4,5,6\n7,8,9\n";
  const CsvTable t = parse_csv(
      text, {.usecols = {"c", "a"}, .dtype = {{"a", float32}}, .skiprows = 1, .nrows = 2});
  EXPECT_EQ(t.names(), (Strings{"a", "c"}));
  EXPECT_EQ(t.size(), 2);
  EXPECT_EQ(t["a"].dtype(), DType::f32);
  const CsvTable u = parse_csv(
      text,
      {.header = std::nullopt, .names = {"x", "y"}, .usecols = {2, 0}, .skiprows = {0, 1, 3}});
  EXPECT_EQ(numbers(u, "x"), (std::vector<double>{1, 7}));
  EXPECT_EQ(numbers(u, "y"), (std::vector<double>{3, 9}));
  EXPECT_EQ(parse_csv("a,a,,a.1\n1,2,3,4\n").names(), (Strings{"a", "a.2", "Unnamed: 2", "a.1"}));
}

TEST(ReadCsv, AcceptsOwnWords) {
  const CsvTable t =
      parse_csv("a,b,c\n1,-999,yes\n0,2.5,no\n1,-999.0,yes\n", {.dtype = {{"a", bool_}},
                                                                .true_values = {"yes"},
                                                                .false_values = {"no"},
                                                                .na_values = {"-999"}});
  EXPECT_TRUE(equal(t["a"].tensor(), tensor({true, false, true})));
  EXPECT_EQ(t["b"].missing(), 2);
  EXPECT_TRUE(equal(t["c"].tensor(), tensor({true, false, true})));
}

TEST(ReadCsv, ReadsFilesAndStreams) {
  const test::TempDir dir;
  const std::string path = dir / "x.csv";
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + ",w" + std::to_string(i) + "\n";
  test::write_bytes(path, text);
  EXPECT_EQ(read_csv(path).size(), 5000);
  test::write_gzip(path, text);
  EXPECT_EQ(read_csv(path)["b"].text(4999), "w4999");
  std::istringstream stream(text);
  EXPECT_EQ(read_csv(stream)["a"].tensor().sum().item<std::int64_t>(), 5000 * 4999 / 2);
  EXPECT_EQ(
      error_text<IoError>([&] { read_csv(dir / "absent.csv"); }),
      "read_csv: " + (dir / "absent.csv") + ": cannot open the file: No such file or directory");
}

TEST(ReadCsv, ReportsLineAndValue) {
  EXPECT_EQ(csv_error(""), "read_csv: <bytes>: line 1: no columns to parse");
  EXPECT_EQ(csv_error("a,b\n1,2\n3,4,5\n"), "read_csv: <bytes>: line 3: expected 2 fields, got 3");
  EXPECT_EQ(csv_error("a,b\n1,\"x\n2,y\n"), "read_csv: <bytes>: line 2: missing closing quote");
  EXPECT_EQ(csv_error("a\n1\nx\n", {.dtype = int64}),
            "read_csv: <bytes>: line 3: column 'a': 'x' is not a value of int64");
  EXPECT_EQ(csv_error("a,b\n1,2\n,3\n", {.dtype = int64}),
            "read_csv: <bytes>: line 3: column 'a': '' is not a value of int64");
  EXPECT_EQ(csv_error("a\n1.0\n1.5\n", {.dtype = int64}),
            "read_csv: <bytes>: line 3: column 'a': '1.5' is not an integer, expected int64");
  EXPECT_EQ(csv_error("a\n300\n", {.dtype = uint8}),
            "read_csv: <bytes>: line 2: column 'a': '300' is out of range for uint8");
  EXPECT_EQ(csv_error("a\n1\n", {.header = 5}),
            "read_csv: <bytes>: line 3: header=5, but the file has 2 rows only");
  EXPECT_EQ(csv_error("a\n\xff\n"), "read_csv: <bytes>: line 2: invalid UTF-8 in '\\xff'");
  EXPECT_EQ(csv_error("a,b\n1,2\n", {.usecols = {"c"}}),
            "read_csv: usecols: no column 'c'. The columns are 'a', 'b'");
  EXPECT_EQ(csv_error("a\n1\n", {.sep = "||"}),
            "read_csv: sep must be one character or \"\\s+\", got '||'");
  EXPECT_EQ(parse_csv("a,b\n1,2\n3,4,5\n6,7\n", {.on_bad_lines = data::BadLines::skip}).size(), 2);
}

TEST(ReadCsv, RejectsATruncatedLastRow) {
  const std::string cut =
      "truncated row: got 2 of 3 fields at the end of the file, without a line break";
  EXPECT_EQ(csv_error("a,b,c\n1,2,3\n4,5"), "read_csv: <bytes>: line 3: " + cut);
  EXPECT_EQ(csv_error("a,b,c\r\n4,"), "read_csv: <bytes>: line 2: " + cut);
  EXPECT_EQ(csv_error("1,2,3\n4,5", {.header = std::nullopt, .names = {"a", "b", "c", "d"}}),
            "read_csv: <bytes>: line 2: " + cut);
  EXPECT_EQ(csv_error("a,b,c\n1,2,3\n4,5", {.usecols = {"a"}}),
            "read_csv: <bytes>: line 3: " + cut);
  EXPECT_EQ(csv_error("a b c\n1 2", {.sep = "\\s+"}), "read_csv: <bytes>: line 2: " + cut);
}

TEST(ReadCsv, FillsShortRowsWithALineBreak) {
  EXPECT_EQ(parse_csv("a,b,c\n1,2\n4,5,6")["c"].missing(), 1);
  EXPECT_EQ(parse_csv("a,b,c\n1,2,3\n4,5\n")["c"].missing(), 1);
  EXPECT_EQ(parse_csv("a,b,c\n1,2,3\n4,5\r")["c"].missing(), 1);
  EXPECT_EQ(parse_csv("a,b,c\n1,2,3\n4,5", {.nrows = 1}).size(), 1);
}

TEST(ReadCsv, AcceptsMoreNamesThanFieldsWithoutALastLineBreak) {
  const CsvTable t = parse_csv("1,2\n3,4", {.header = std::nullopt, .names = {"a", "b", "c"}});
  EXPECT_EQ(t["c"].missing(), 2);
}

TEST(ReadCsv, RejectsTruncatedGzipFiles) {
  const test::TempDir dir;
  const std::string path = dir / "x.csv.gz";
  std::string text;
  for (int i = 0; i < 30; ++i) text += std::to_string(i) + "," + std::to_string(i * i) + "\n";
  test::write_gzip(path, text);
  const std::string whole = test::read_bytes(path);
  ASSERT_EQ(read_csv(path).size(), 29);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    test::write_bytes(path, whole.substr(0, length));
    EXPECT_TRUE(
        error_text<IoError>([&] { read_csv(path); }).starts_with("read_csv: " + path + ": "))
        << length;
  }
}

TEST(ReadCsv, LimitsMissingFields) {
  std::string text(20'000, ',');
  text += '\n';
  for (int i = 0; i < 20'000; ++i) text += "1\n";
  EXPECT_EQ(csv_error(text),
            "read_csv: <bytes>: line 194: too many missing fields in rows of fewer than 20001 "
            "fields");
}

TEST(CsvTable, MakesDatasets) {
  const CsvTable t = parse_csv("x,y,kind\n1,2,b\n3,4,a\n5,6,b\n");
  EXPECT_TRUE(equal(t.tensor(Strings{"y", "x"}), tensor({{2.0, 1.0}, {4.0, 3.0}, {6.0, 5.0}})));
  const data::Factorized kinds = t["kind"].factorize();
  EXPECT_EQ(kinds.uniques, (Strings{"b", "a"}));
  EXPECT_TRUE(equal(kinds.codes, tensor({0, 1, 0})));
  data::DataLoader loader(t.dataset({"x", "y"}, "kind"), {.batch_size = 3});
  for (auto& [features, labels] : loader) {
    EXPECT_EQ(features.shape(), Shape({3, 2}));
    EXPECT_EQ(features.dtype(), default_dtype());
    EXPECT_TRUE(equal(labels, kinds.codes));
  }
  EXPECT_EQ(error_text<KeyError>([&] { t["z"]; }),
            "CsvTable: no column 'z'. The columns are 'x', 'y', 'kind'");
  EXPECT_EQ(error_text<TypeError>([&] { t["kind"].tensor(); }),
            "tensor: column 'kind' consists of strings. Replace them by numbers with factorize()");
}

}  // namespace
}  // namespace taper
