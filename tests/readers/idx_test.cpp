// Reading idx files: every type, compressed and uncompressed, and incomplete files.
#include "taper/data/idx.h"

#include <gtest/gtest.h>
#include <filesystem>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/gzip_file.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper_paths.h"

namespace taper {
namespace {

using test::error_text, test::TempDir, test::write_bytes;

using data::read_idx;

class Idx : public testing::Test {
 protected:
  void write(const std::string& bytes) const { write_bytes(path_, bytes); }
  void compress(const std::string& bytes) const { test::write_gzip(path_, bytes); }
  void expect_refused(const std::string& text) const {
    EXPECT_EQ(error_text<IoError>([&] { read_idx(path_); }), "read_idx: " + path_ + ": " + text);
  }
  TempDir dir_;
  std::string path_ = dir_ / "x.idx";
};

using namespace std::string_literals;
const std::string kBytes = "\0\0\x08\2\0\0\0\2\0\0\0\3abcdef"s;

TEST_F(Idx, ReadsPlainAndCompressedFiles) {
  const Tensor expected = tensor({{97, 98, 99}, {100, 101, 102}}, {.dtype = DType::u8});
  write(kBytes);
  EXPECT_TRUE(equal(read_idx(path_), expected));
  compress(kBytes);
  EXPECT_TRUE(equal(read_idx(path_), expected));
}

TEST_F(Idx, ReadsEveryType) {
  const auto read = [&](const std::string& bytes) {
    write(bytes);
    return read_idx(path_);
  };
  EXPECT_TRUE(equal(read("\0\0\x09\1\0\0\0\1\xff"s), tensor({-1}, {.dtype = DType::i8})));
  EXPECT_TRUE(equal(read("\0\0\x0b\1\0\0\0\1\xff\xfe"s), tensor({-2}, {.dtype = DType::i16})));
  EXPECT_TRUE(equal(read("\0\0\x0c\1\0\0\0\1\0\1\0\2"s), tensor({65538}, {.dtype = DType::i32})));
  EXPECT_TRUE(equal(read("\0\0\x0d\1\0\0\0\1\x3f\x80\0\0"s), tensor({1.0}, {.dtype = DType::f32})));
  EXPECT_TRUE(
      equal(read("\0\0\x0e\1\0\0\0\1\x3f\xf8\0\0\0\0\0\0"s), tensor({1.5}, {.dtype = DType::f64})));
  EXPECT_TRUE(equal(read("\0\0\x08\0\7"s), tensor(7, {.dtype = DType::u8})));
  EXPECT_EQ(read("\0\0\x08\2\0\0\0\0\0\0\0\5"s).shape(), Shape({0, 5}));
}

TEST_F(Idx, ReadsDigits) {
  const Tensor images = read_idx(TAPER_DATA "/digits/digits-images.idx3-ubyte.gz");
  const Tensor labels = read_idx(TAPER_DATA "/digits/digits-labels.idx1-ubyte.gz");
  EXPECT_EQ(images.shape(), Shape({1797, 8, 8}));
  EXPECT_EQ(labels.shape(), Shape({1797}));
  EXPECT_EQ(labels[0].item<int>(), 0);
  EXPECT_EQ(images[0][0][2].item<int>(), 5);
}

TEST_F(Idx, RejectsIncompleteFiles) {
  write(kBytes.substr(0, 3));
  expect_refused("truncated file: got 3 bytes of the magic number, expected 4");
  write(kBytes.substr(0, 9));
  expect_refused("truncated file: got 5 bytes of the sizes, expected 8");
  write(kBytes.substr(0, 16));
  expect_refused("truncated file: got 4 bytes of elements, expected 6 for shape [2, 3]");
  write(kBytes + "!");
  expect_refused("trailing data: expected 6 bytes of elements for shape [2, 3]");
  compress(kBytes + std::string(100000, 'x'));
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 20);
  EXPECT_THROW(read_idx(path_), IoError);
  std::filesystem::remove(path_);
  expect_refused("cannot open the file: No such file or directory");
}

TEST_F(Idx, RejectsOtherFiles) {
  const std::string expected = ", expected 00 00, a type (08, 09, 0b, 0c, 0d or 0e), and a rank";
  write("PK\3\4....");
  expect_refused("not an idx file: got the magic number 50 4b 03 04" + expected);
  write("\0\0\x0a\1\0\0\0\1x"s);
  expect_refused("not an idx file: got the magic number 00 00 0a 01" + expected);
  // A header that declares more than the memory could hold allocates nothing.
  write("\0\0\x0e\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s);
  EXPECT_THROW(read_idx(path_), IoError);
  write("\0\0\x0e\2\0\xff\xff\xff\0\xff\xff\xff"s);
  EXPECT_THROW(read_idx(path_), IoError);
}

}  // namespace
}  // namespace taper
