// Written values are read back unchanged; a failed save leaves the old file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using test::contains, test::error_text, test::read_bytes, test::TempDir, test::write_bytes;

Value sample_checkpoint() {
  const Tensor w = arange(6.0).view({2, 3});
  Value model = Value::ordered_dict();
  model.as_dict().set("w", w);
  model.as_dict().set("w_transposed", w.t());
  model.as_dict().set("row", w[1]);
  model.as_dict().set("p", Value::parameter(ones({3}, {.requires_grad = true})));
  Value metadata = Value::ordered_dict();
  metadata.as_dict().set("", Value::dict({{"version", 1}}));
  model.as_dict().set_attribute("_metadata", metadata);
  return Value::dict({{"epoch", 3},
                      {"lr", 0.1},
                      {"none", Value()},
                      {"flag", true},
                      {"list", Value::list({1, -2, Value::tuple({3, 70000})})},
                      {"model", model},
                      {5, "five"},
                      {"size", Shape{2, 3}},
                      {"dtype", float32},
                      {"device", Device::cpu()},
                      {"large", std::int64_t{1} << 40},
                      {"bytes", Value::bytes(std::string("\0\xff"
                                                         "A",
                                                         3))},
                      {"scalar", tensor(2.5)},
                      {"empty", zeros({0, 3})},
                      {"half", tensor({1.5, -2.0}, {.dtype = float16})},
                      {"mask", tensor({true, false})}});
}

TEST(Checkpoint, RoundTripsUnchanged) {
  const TempDir folder;
  const Value before = sample_checkpoint();
  save(before, folder / "x.pt");
  const Value after = load(folder / "x.pt");
  EXPECT_EQ(after.str(), before.str());
  const Value model = after["model"];
  EXPECT_EQ(model.as_dict().attribute("_metadata")->str(), "OrderedDict([('', {'version': 1})])");
  EXPECT_EQ(model.as_dict().class_name(), before["model"].as_dict().class_name());
  const Tensor w = model["w"].as_tensor();
  EXPECT_TRUE(w.shares_storage_with(model["w_transposed"].as_tensor()));
  w[1].fill_(9);
  EXPECT_EQ(model["row"].as_tensor()[0].item<float>(), 9);
  EXPECT_TRUE(model["p"].is_parameter());
  EXPECT_TRUE(model["p"].as_tensor().requires_grad());
}

TEST(Checkpoint, RoundTripsManyEntriesAndDeepNesting) {
  const TempDir folder;
  Value deep = Value::list();
  for (int i = 0; i < 100'000; ++i) deep = Value::list({deep});
  Value many = Value::dict();
  for (int i = 0; i < 2500; ++i) many.as_dict().set("k" + std::to_string(i), i);
  save(Value::dict({{"deep", deep}, {"many", many}}), folder / "x.pt");
  const Value after = load(folder / "x.pt");
  EXPECT_EQ(after["many"]["k2499"].as_int(), 2499);
  Value inner = after["deep"];
  int depth = 0;
  while (inner.size() > 0) {
    const Value next = inner[0];
    inner = next;
    ++depth;
  }
  EXPECT_EQ(depth, 100'000);
}

TEST(Checkpoint, FailedSaveLeavesOldFileOnly) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  save(Value(1), path);
  const std::string old = read_bytes(path);
  // Simulates a full disk: files of this process cannot grow beyond a few kilobytes.
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 4096;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = error_text<IoError>([&] { save(zeros({100'000}), path); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(text,
            "save: " + path + ": writing failed: File too large; the existing file is unchanged");
  EXPECT_EQ(read_bytes(path), old);
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_THROW(save(Value(1), folder / "no/such/folder.pt"), IoError);
  EXPECT_THROW(save(Value::opaque({}), path), TypeError);
  EXPECT_EQ(read_bytes(path), old);
}

TEST(Checkpoint, RejectsDamagedFilesWithTheirPath) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  save(sample_checkpoint(), path);
  const std::string good = read_bytes(path);
  for (std::size_t n = 0; n < good.size(); n += 1 + good.size() / 200) {
    write_bytes(path, good.substr(0, n));
    EXPECT_TRUE(contains(error_text<IoError>([&] { load(path); }), path));
  }
  EXPECT_THROW(load(folder / "absent.pt"), IoError);
  EXPECT_THROW(load(folder / "."), IoError);
}

}  // namespace
}  // namespace taper
