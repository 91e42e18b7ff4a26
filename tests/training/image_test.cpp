// Image files and image data sets.
#include <gtest/gtest.h>

#include <filesystem>

#include "image_file.h"
#include "image_set.h"
#include "support/file_bytes.h"
#include "support/png_file.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/image.h"

namespace training {
namespace {

using taper::test::PngColor, taper::test::TempDir, taper::test::write_bytes;

using namespace std::string_literals;

class Images : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ + "/" + name).parent_path());
    write_bytes(folder_ + "/" + name, bytes);
    return folder_ + "/" + name;
  }
  /// Writes a PNG file of one row of pixels.
  std::string png(const std::string& name, PngColor color, int depth, const std::string& row,
                  unsigned width) const {
    return file(name, taper::test::png_file({width, 1, depth, color, row}));
  }
  static std::vector<int> pixels(const std::string& path, int channels = 1) {
    const taper::Tensor t = read_image(path, channels);
    const auto values = t.data<std::uint8_t>();
    return {values.begin(), values.end()};
  }
  TempDir dir_;
  const std::string& folder_ = dir_.path();
};

TEST_F(Images, ReadsEveryKindOfPng) {
  EXPECT_EQ(pixels(png("gray.png", PngColor::gray, 8, "\0\x80\xff"s, 3)),
            (std::vector<int>{0, 128, 255}));
  EXPECT_EQ(pixels(png("bits.png", PngColor::gray, 1, "\xa0"s, 3)),
            (std::vector<int>{255, 0, 255}));
  EXPECT_EQ(pixels(png("deep.png", PngColor::gray, 16, "\0\0\x80\x80\xff\xff"s, 3)),
            (std::vector<int>{0, 128, 255}));
  EXPECT_EQ(pixels(png("rgb.png", PngColor::rgb, 8, "\xff\0\0\0\xff\0"s, 2)),
            (std::vector<int>{76, 150}));
  EXPECT_EQ(pixels(folder_ + "/rgb.png", 3), (std::vector<int>{255, 0, 0, 255, 0, 0}));
  EXPECT_EQ(pixels(folder_ + "/gray.png", 3),
            (std::vector<int>{0, 128, 255, 0, 128, 255, 0, 128, 255}));
  // A half-transparent white pixel is composited on black.
  EXPECT_EQ(pixels(png("clear.png", PngColor::gray_alpha, 8, "\xff\x80\xff\xff"s, 2)),
            (std::vector<int>{128, 255}));
}

TEST_F(Images, AppliesExifOrientation) {
  const std::string path = file(
      "a.png", taper::test::png_file(
                   {2, 1, 8, PngColor::gray, "\x0a\x14", {{"eXIf", taper::test::exif_data(2)}}}));
  EXPECT_EQ(pixels(path), (std::vector<int>{20, 10}));  // mirrored
}

TEST_F(Images, ReadsEveryKindOfPnm) {
  EXPECT_EQ(pixels(file("a.pgm", "P2 # text\n3 1\n# more\n15 0 8 15")),
            (std::vector<int>{0, 136, 255}));
  EXPECT_EQ(pixels(file("b.pgm", "P5 2 1 255\n\x07\xff"s)), (std::vector<int>{7, 255}));
  EXPECT_EQ(pixels(file("c.pgm", "P5 1 1 65535\n\x80\x80"s)), (std::vector<int>{128}));
  EXPECT_EQ(pixels(file("d.ppm", "P6 1 1 255\n\xff\0\0"s), 3), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(pixels(file("e.ppm", "P3 1 1 255 0 255 0")), (std::vector<int>{150}));
}

TEST_F(Images, ReadsJpeg) {
  const std::string path = folder_ + "/a.jpg";
  taper::data::write_jpeg(taper::full({1, 2, 1}, 77, {.dtype = taper::DType::u8}), path);
  EXPECT_EQ(pixels(path), (std::vector<int>{77, 77}));
  EXPECT_EQ(pixels(path, 3), (std::vector<int>{77, 77, 77, 77, 77, 77}));
}

TEST_F(Images, RejectsDamagedFiles) {
  const std::string good =
      taper::test::read_bytes(png("good.png", PngColor::gray, 8, "\0\x80\xff"s, 3));
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_THROW(read_image(file("cut.png", good.substr(0, n)), 1), taper::IoError) << n;
  std::string changed = good;
  changed[50] = static_cast<char>(changed[50] ^ 1);
  EXPECT_THROW(read_image(file("changed.png", changed), 1), taper::IoError);
  for (const std::string& text :
       {"P5 2 2 255\n\1"s, "P5 0 2 255\n"s, "P5 99999999 99999999 255\n\1"s, "P5 1 1 70000\n\1\1"s,
        "P2 1 1 7 8"s, "P5"s, "GIF89a"s, ""s})
    EXPECT_THROW(read_image(file("bad.pgm", text), 1), taper::IoError) << text;
  EXPECT_THROW(read_image(folder_ + "/none.png", 1), taper::IoError);
  EXPECT_THROW(read_image(folder_, 1), taper::IoError);
}

std::string idx_images(int count, char first) {
  std::string bytes = "\0\0\x08\x03\0\0\0"s + static_cast<char>(count) + "\0\0\0\2\0\0\0\2"s;
  for (int i = 0; i < count; ++i) bytes += std::string(4, static_cast<char>(first + i));
  return bytes;
}
std::string idx_labels(const std::string& labels) {
  return "\0\0\x08\x01\0\0\0"s + static_cast<char>(labels.size()) + labels;
}

TEST_F(Images, ReadsMnistFileNames) {
  file("train-images-idx3-ubyte", idx_images(3, 0));
  file("train-labels-idx1-ubyte", idx_labels("\0\1\2"s));
  file("t10k-images-idx3-ubyte", idx_images(2, 4));
  file("t10k-labels-idx1-ubyte", idx_labels("\2\0"s));
  const ExampleSet set = read_image_set(folder_, {1, 2, 2}, 0.5);
  EXPECT_EQ(set.examples.train_images.shape(), taper::Shape({3, 1, 2, 2}));
  EXPECT_EQ(set.examples.train_images.max().item<float>(), 1.0f);
  EXPECT_EQ(set.examples.test_labels.data<std::int64_t>()[0], 2);
  EXPECT_EQ(set.classes, (std::vector<std::string>{"0", "1", "2"}));
  const taper::Tensor images =
      read_images(folder_ + "/t10k-images-idx3-ubyte", {1, 2, 2}, set.pixel_max);
  EXPECT_TRUE(images.equal(set.examples.test_images));
  EXPECT_NE(images.max().item<float>(), 1.0f);
  file("t10k-labels-idx1-ubyte", idx_labels("\2"s));
  EXPECT_THROW(read_image_set(folder_, {1, 2, 2}, 0.5), taper::ValueError);
}

TEST_F(Images, SplitsSinglePairOfFiles) {
  file("my-images.idx3-ubyte", idx_images(10, 1));
  file("my-labels.idx1-ubyte", idx_labels(std::string(10, '\1')));
  const ExampleSet set = read_image_set(folder_, {3, 4, 4}, 0.2);
  EXPECT_EQ(set.examples.train_images.shape(), taper::Shape({8, 3, 4, 4}));
  EXPECT_EQ(set.examples.test_count(), 2);
}

TEST_F(Images, ReadsTrainingAndTestFolders) {
  for (const char* name : {"train/a/1.pgm", "train/b/1.pgm", "train/b/2.pgm", "test/b/1.pgm"})
    file(name, "P5 2 2 255\n\1\2\3\4"s);
  file("train/b/notes.txt", "no image");
  const ExampleSet set = read_image_set(folder_, {1, 2, 2}, 0.2);
  EXPECT_EQ(set.examples.train_count(), 3);
  EXPECT_EQ(set.examples.test_count(), 1);
  EXPECT_EQ(set.examples.test_labels.data<std::int64_t>()[0], 1);
  EXPECT_EQ(set.classes, (std::vector<std::string>{"a", "b"}));
  file("test/c/1.pgm", "P5 2 2 255\n\1\2\3\4"s);
  EXPECT_THROW(read_image_set(folder_, {1, 2, 2}, 0.2), taper::ValueError);
}

}  // namespace
}  // namespace training
