// Loading one checkpoint from a path, memory and a stream, mapped and copied.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "assemble.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

/// Saved file with two tensors that share a storage.
struct Saved {
  Saved() {
    const Tensor w = arange(1000.0).view({10, 100});
    save(Value::dict({{"w", w}, {"row", w[3]}}), path);
  }
  TempDir folder;
  std::string path = folder / "x.pt";
};

void expect_whole(const Value& v) {
  const Tensor w = v["w"].as_tensor(), row = v["row"].as_tensor();
  EXPECT_EQ(w[9][99].item<float>(), 999);
  EXPECT_EQ(row[0].item<float>(), 300);
  w[3].fill_(7);
  EXPECT_EQ(row[50].item<float>(), 7);
}

TEST(Sources, WritesToMappedTensorsStayPrivate) {
  const Saved saved;
  const std::string before = read_bytes(saved.path);
  for (const std::optional<bool> mmap : {std::optional<bool>{}, {true}, {false}}) {
    const Value v = load(saved.path, {.mmap = mmap});
    expect_whole(v);
    EXPECT_EQ(read_bytes(saved.path), before);
  }
}

TEST(Sources, MappedTensorsOutliveValueAndFile) {
  Tensor w;
  {
    const Saved saved;
    w = load(saved.path)["w"].as_tensor();
    save(Value(1), saved.path);  // replaces the file; the mapping still refers to the old one
  }
  EXPECT_EQ(w[9][99].item<float>(), 999);
}

TEST(Sources, MappedTensorsAllocateNothing) {
  const Saved saved;
  const auto held = [&](std::optional<bool> mmap) {
    const std::size_t before = memory::stats().allocated;
    const Value v = load(saved.path, {.mmap = mmap});
    return memory::stats().allocated - before;
  };
  EXPECT_EQ(held({}), 0u);
  EXPECT_GE(held(false), 4000u);
}

TEST(Sources, BytesAndStreamsLoadEqually) {
  const Saved saved;
  const std::string bytes = read_bytes(saved.path);
  Value v;
  {
    const std::string gone = bytes;
    v = load(std::as_bytes(std::span(gone)));
  }
  expect_whole(v);
  std::istringstream text(bytes);
  expect_whole(load(text));
  std::ifstream file(saved.path, std::ios::binary);
  expect_whole(load(file));
  // Bytes before the current position of the stream are ignored.
  std::istringstream later("header" + bytes);
  later.seekg(6);
  expect_whole(load(later));
}

// R11.1-04
TEST(Sources, MmapRequiresPathOfZipFile) {
  const Saved saved;
  const std::string bytes = read_bytes(saved.path);
  EXPECT_THROW(load(std::as_bytes(std::span(bytes)), {.mmap = true}), ValueError);
  std::istringstream text(bytes);
  EXPECT_THROW(load(text, {.mmap = true}), ValueError);
  const std::string old = saved.folder / "old.pth";
  write_bytes(old, legacy(pickle("}"), pickle("]"), ""));
  EXPECT_EQ(load(old).size(), 0u);
  EXPECT_TRUE(contains(error_text<RuntimeError>([&] { load(old, {.mmap = true}); }),
                       "mmap requires a zip checkpoint"));
}

TEST(Sources, ErrorsNameTheSource) {
  const std::string bytes = "nothing";
  std::istringstream text(bytes);
  EXPECT_EQ(error_text<IoError>([&] { load(std::as_bytes(std::span(bytes))); }).substr(0, 15),
            "load: <bytes>: ");
  EXPECT_EQ(error_text<IoError>([&] { load(text); }).substr(0, 16), "load: <stream>: ");
  std::istringstream broken(bytes);
  broken.setstate(std::ios::badbit);
  EXPECT_THROW(load(broken), IoError);
}

TEST(Sources, ProgressIsReportedAndCanCancel) {
  const Saved saved;
  std::uint64_t last = 0, total = 0;
  const auto watch = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GT(done, last);
    last = done, total = all;
  };
  load(saved.path, {.mmap = false, .progress = watch});
  EXPECT_EQ(last, 4000u);
  EXPECT_EQ(total, read_bytes(saved.path).size());
  const auto stop = [](std::uint64_t, std::uint64_t) { throw std::runtime_error("enough"); };
  EXPECT_THROW(load(saved.path, {.progress = stop}), std::runtime_error);
}

TEST(Sources, StrictRejectsOpaqueValues) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  write_bytes(path, checkpoint(pickle(dict({{"net", name("my_project", "Net") + ")\x81"}}))));
  EXPECT_EQ(load(path)["net"].kind(), Value::Kind::opaque);
  EXPECT_TRUE(contains(error_text<IoError>([&] { load(path, {.strict = true}); }),
                       "at [\"net\"]: strict: the file names my_project.Net"));
}

// R11.2-17
TEST(Sources, VerifyComparesChecksums) {
  const Saved saved;
  std::string bytes = read_bytes(saved.path);
  // The bytes of the elements 1.0 and 2.0.
  const std::size_t payload = bytes.find(std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  ASSERT_NE(payload, std::string::npos);
  EXPECT_NO_THROW(load(saved.path, {.verify = true}));
  bytes[payload] ^= 1;
  write_bytes(saved.path, bytes);
  EXPECT_NO_THROW(load(saved.path));
  EXPECT_TRUE(contains(error_text<IoError>([&] { load(saved.path, {.verify = true}); }),
                       "the zip record 'x/data/0' is damaged: checksum mismatch"));
}

}  // namespace
}  // namespace taper
