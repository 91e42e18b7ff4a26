#include "taper/train/csv_logger.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/file_size_limit.h"
#include "support/temp_dir.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;
using taper::test::error_text, taper::test::read_bytes, taper::test::TempDir,
    taper::test::write_bytes;
using taper::train::CsvLogger;

TEST(CsvLogger, WritesARowPerStep) {
  const TempDir dir;
  const std::string path = dir / "logs/metrics.csv";
  CsvLogger log(path, {.columns = {"loss", "note"}});
  EXPECT_EQ(read_bytes(path), "step,loss,note\n");
  log.log(0, Value::dict({{"note", "a, \"b\"\nc"}, {"loss", 0.1}}));
  log.log(1, Value::dict({{"loss", tensor(2.5)}}));
  log.log(-2, Value::dict({{"loss", std::numeric_limits<double>::quiet_NaN()}, {"note", true}}));
  log.log(3, Value::dict({{"loss", 7}, {"note", Value()}}));
  EXPECT_EQ(read_bytes(path),
            "step,loss,note\n0,0.1,\"a, \"\"b\"\"\nc\"\n1,2.5,\n-2,nan,True\n3,7,\n");
}

TEST(CsvLogger, ReportsFullDisk) {
  const TempDir dir;
  const std::string path = dir / "log.csv";
  CsvLogger log(path, {.columns = {"note"}});
  log.log(0, Value::dict({{"note", "a"}}));
  {
    const taper::test::FileSizeLimit limit(500);
    const auto write = [&] { log.log(1, Value::dict({{"note", std::string(1000, 'x')}})); };
    EXPECT_TRUE(error_text<IoError>([&] {
                  write();
                  return 0;
                }).starts_with("CsvLogger: cannot write '" + path + "'"));
  }
  EXPECT_EQ(read_bytes(path), "step,note\n0,a\n") << "a part of a row";
  log.log(2, Value::dict({{"note", "b"}}));
  EXPECT_EQ(read_bytes(path), "step,note\n0,a\n2,b\n");
}

TEST(CsvLogger, AddsColumns) {
  const TempDir dir;
  const std::string path = dir / "log.csv";
  CsvLogger log(path);
  log.log(0, Value::dict({{"a", "x\ny"}}));
  log.log(1, Value::dict({{"b", 2}, {"c,d", 3}}));
  log.log(2, Value::dict({{"c,d", 4}, {"a", 5}}));
  EXPECT_EQ(log.columns(), std::vector<std::string>({"step", "a", "b", "c,d"}));
  EXPECT_EQ(read_bytes(path), "step,a,b,\"c,d\"\n0,\"x\ny\",,\n1,,2,3\n2,5,,4\n");
  EXPECT_EQ(dir.count(), 1u) << "a temporary file";
}

TEST(CsvLogger, ContinuesAFile) {
  const TempDir dir;
  const std::string path = dir / "log.csv";
  write_bytes(path, "step,a\n0,1\n1,2\n2,incompl");
  {
    CsvLogger log(path, {.append = true});
    log.log(2, Value::dict({{"a", 3}}));
  }
  EXPECT_EQ(read_bytes(path), "step,a\n0,1\n1,2\n2,3\n");
  {
    CsvLogger log(path, {.columns = {"b"}, .append = true});
    log.log(3, Value::dict({{"a", 4}, {"b", 5}}));
  }
  EXPECT_EQ(read_bytes(path), "step,a,b\n0,1,\n1,2,\n2,3,\n3,4,5\n");
  CsvLogger log(path);
  EXPECT_EQ(read_bytes(path), "step\n") << "a new file";
}

TEST(CsvLogger, RejectsInvalidArguments) {
  const TempDir dir;
  const std::string path = dir / "log.csv";
  CsvLogger log(path, {.columns = {"a"}});
  EXPECT_EQ(error_text([&] {
              log.log(0, Value::dict({{"b", 1}}));
            }),
            "CsvLogger: 'b' is not among the columns of '" + path + "'");
  EXPECT_EQ(error_text([&] {
              log.log(0, Value::dict({{"a", Value::list()}}));
            }),
            "CsvLogger: 'a': expected a number, a string or a tensor with one element, got list");
  EXPECT_EQ(error_text([&] {
              log.log(0, Value::dict({{"a", rand({2})}}));
            }),
            "CsvLogger: 'a': expected a number, a string or a tensor with one element, got Tensor");
  EXPECT_EQ(error_text([&] {
              log.log(0, Value::dict({{"step", 1}}));
            }),
            "CsvLogger: 'step' is the first column");
  EXPECT_EQ(error_text([&] { log.log(0, 1); }), "CsvLogger: expected a dict of values, got int");
  EXPECT_EQ(error_text([&] {
              CsvLogger(path, {.columns = {"a", "a"}});
            }),
            "CsvLogger: column 'a' is listed twice");
  EXPECT_EQ(read_bytes(path), "step,a\n");
  log.close();
  log.close();
  EXPECT_EQ(error_text([&] { log.log(0, Value::dict()); }), "CsvLogger: '" + path + "' is closed");
  write_bytes(path, "epoch,a\n");
  EXPECT_EQ(error_text([&] { CsvLogger(path, {.append = true}); }),
            "CsvLogger: '" + path + "': expected 'step' as the first column, got 'epoch'");
  EXPECT_EQ(read_bytes(path), "epoch,a\n");
}

TEST(CsvLogger, ReportsRemovedFile) {
  const TempDir dir;
  const std::string path = dir / "run/log.csv";
  CsvLogger log(path);
  std::filesystem::remove_all(dir / "run");
  const std::string expected =
      "CsvLogger: '" + path + "' was removed or renamed while it was being written";
  EXPECT_EQ(error_text([&] { log.log(0, Value::dict()); }), expected);
  EXPECT_EQ(error_text([&] { log.log(0, Value::dict({{"a", 1}})); }), expected);
  EXPECT_EQ(error_text([&] { log.close(); }), expected);
  write_bytes(dir / "file", "");
  EXPECT_EQ(error_text([&] { CsvLogger(dir / "file/log.csv"); }),
            "CsvLogger: cannot create the directory '" + dir / "file" + "': Not a directory");
}

}  // namespace
