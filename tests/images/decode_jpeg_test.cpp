// Modes, orientation and damaged JPEG files. Files of every kind are compared with torchvision in
// tests/oracle/kit_test.cpp.
#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/png_file.h"
#include "support/warning_capture.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/image.h"

namespace taper {
namespace {

using namespace std::string_literals;
using data::decode_jpeg, data::ImageReadMode;
using test::contains, test::error_text, test::exif_data;

/// Returns a JPEG file of a gradient (3, height, width).
std::string gradient_jpeg(std::int64_t height, std::int64_t width) {
  const Tensor y = arange(height).reshape({1, height, 1}) * 5;
  const Tensor x = arange(width).reshape({1, 1, width}) * 3;
  const Tensor image = cat({y + x, y + 0 * x, 0 * y + x}).to(DType::u8);
  const Tensor file = data::encode_jpeg(image, 95);
  const auto bytes = file.data<std::uint8_t>();
  return {bytes.begin(), bytes.end()};
}

Tensor decode_bytes(const std::string& file, ImageReadMode mode = ImageReadMode::unchanged,
                    bool apply_exif_orientation = false) {
  return decode_jpeg(std::as_bytes(std::span(file)), mode, apply_exif_orientation);
}

TEST(DecodeJpeg, ConvertsChannelsToEveryMode) {
  const std::string file = gradient_jpeg(9, 13);
  const Tensor rgb = decode_bytes(file);
  EXPECT_EQ(rgb.shape(), Shape({3, 9, 13}));
  EXPECT_TRUE(decode_bytes(file, ImageReadMode::rgb).equal(rgb));
  const Tensor gray = decode_bytes(file, ImageReadMode::gray);
  EXPECT_EQ(gray.shape(), Shape({1, 9, 13}));
  const Tensor opaque = full({1, 9, 13}, 255, {.dtype = DType::u8});
  EXPECT_TRUE(decode_bytes(file, ImageReadMode::rgb_alpha).equal(cat({rgb, opaque})));
  EXPECT_TRUE(decode_bytes(file, ImageReadMode::gray_alpha).equal(cat({gray, opaque})));
}

TEST(DecodeJpeg, AppliesOrientation) {
  const std::string plain = gradient_jpeg(6, 9);
  const Tensor image = decode_bytes(plain);
  const auto oriented = [&](int orientation, bool is_big_endian) {
    const std::string exif = "Exif\0\0"s + exif_data(orientation, is_big_endian);
    const auto size = static_cast<char>(exif.size() + 2);
    const std::string file = plain.substr(0, 2) + "\xff\xe1\0"s + size + exif + plain.substr(2);
    EXPECT_TRUE(decode_bytes(file).equal(image));
    return decode_bytes(file, ImageReadMode::unchanged, true);
  };
  for (const bool is_big_endian : {false, true}) {
    EXPECT_TRUE(oriented(0, is_big_endian).equal(image));
    EXPECT_TRUE(oriented(1, is_big_endian).equal(image));
    EXPECT_TRUE(oriented(2, is_big_endian).equal(image.flip({2})));
    EXPECT_TRUE(oriented(3, is_big_endian).equal(image.flip({1, 2})));
    EXPECT_TRUE(oriented(4, is_big_endian).equal(image.flip({1})));
    EXPECT_TRUE(oriented(5, is_big_endian).equal(image.transpose(1, 2)));
    EXPECT_TRUE(oriented(6, is_big_endian).equal(image.transpose(1, 2).flip({2})));
    EXPECT_TRUE(oriented(7, is_big_endian).equal(image.transpose(1, 2).flip({1, 2})));
    EXPECT_TRUE(oriented(8, is_big_endian).equal(image.transpose(1, 2).flip({1})));
    EXPECT_TRUE(oriented(9, is_big_endian).equal(image));
  }
}

TEST(DecodeJpeg, RejectsTruncatedFiles) {
  const std::string file = gradient_jpeg(16, 24);
  for (std::size_t n = 0; n < file.size(); ++n)
    EXPECT_THROW(decode_bytes(file.substr(0, n)), IoError) << n;
  EXPECT_EQ(error_text([&] { decode_bytes(file.substr(0, file.size() / 2)); }),
            "decode_jpeg: damaged JPEG image: truncated data");
  EXPECT_EQ(error_text([&] { decode_bytes(""); }), "decode_jpeg: not a JPEG image: got no data");
}

TEST(DecodeJpeg, RejectsSizesThatDoNotFitTheFile) {
  std::string file = gradient_jpeg(8, 8);
  const std::size_t frame = file.find("\xff\xc0"s);
  file.replace(frame + 5, 4, "\x27\x10\x27\x10"s);
  EXPECT_TRUE(contains(error_text([&] { decode_bytes(file); }),
                       "truncated data: 10000 x 10000 pixels need at least"));
  file.replace(frame + 5, 4, "\x75\x30\x75\x30"s);
  EXPECT_TRUE(contains(error_text([&] { decode_bytes(file); }),
                       "exceeds the limit of 134217728 pixels (max_image_pixels)"));
}

TEST(DecodeJpeg, WarnsAboutDamageThatDoesNotPreventDecoding) {
  const std::string file = gradient_jpeg(64, 64);
  const test::WarningCapture warnings;
  const Tensor image = decode_bytes(file);
  EXPECT_EQ(warnings.count(), 0u);
  const std::string end = file.substr(file.size() - 2);
  EXPECT_EQ(decode_bytes(file.substr(0, file.size() - 12) + end).shape(), image.shape());
  EXPECT_EQ(warnings.last(),
            "decode_jpeg: damaged JPEG data: Corrupt JPEG data: premature end of data segment");
}

}  // namespace
}  // namespace taper
