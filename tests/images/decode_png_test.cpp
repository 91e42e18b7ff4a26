// Channels and depths of PNG files. Files of every kind are compared with torchvision and Pillow in
// tests/oracle/kit_test.cpp.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/png_file.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/data/image.h"

namespace taper {
namespace {

using namespace std::string_literals;
using data::decode_png, data::ImageReadMode;
using test::error_text, test::exif_data, test::png_file, test::PngColor, test::to_vector;

using Pixels8 = std::vector<std::uint8_t>;
using Pixels16 = std::vector<std::uint16_t>;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Tensor decode_file(const test::PngFile& file, ImageReadMode mode = ImageReadMode::unchanged) {
  return decode_png(bytes_of(png_file(file)), mode);
}

TEST(DecodePng, ScalesSmallDepths) {
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file({3, 1, 1, PngColor::gray, "\xa0"s})),
            (Pixels8{255, 0, 255}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file({4, 1, 2, PngColor::gray, "\x1b"s})),
            (Pixels8{0, 85, 170, 255}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file({2, 1, 4, PngColor::gray, "\x4f"s})),
            (Pixels8{68, 255}));
}

TEST(DecodePng, Returns16BitsAsU16) {
  const test::PngFile file{2, 1, 16, PngColor::gray, "\x01\x02\xff\xff"s};
  EXPECT_EQ(decode_file(file).dtype(), DType::u16);
  EXPECT_EQ(to_vector<std::uint16_t>(decode_file(file)), (Pixels16{0x0102, 0xffff}));
  EXPECT_EQ(to_vector<std::uint16_t>(decode_file(file, ImageReadMode::gray_alpha)),
            (Pixels16{0x0102, 0xffff, 0xffff, 0xffff}));
}

TEST(DecodePng, ReturnsChannelsFirst) {
  const Tensor image = decode_file({2, 2, 8, PngColor::rgb, "abcdefghijkl"s});
  EXPECT_EQ(image.shape(), Shape({3, 2, 2}));
  EXPECT_TRUE(image.is_contiguous());
  const std::string expected = "adgjbehkcfil";
  EXPECT_EQ(to_vector<std::uint8_t>(image), Pixels8(expected.begin(), expected.end()));
}

TEST(DecodePng, ConvertsChannelsToEveryMode) {
  const test::PngFile gray{2, 1, 8, PngColor::gray, "\x0a\x14"s};
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(gray, ImageReadMode::rgb)),
            (Pixels8{10, 20, 10, 20, 10, 20}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(gray, ImageReadMode::rgb_alpha)),
            (Pixels8{10, 20, 10, 20, 10, 20, 255, 255}));
  const test::PngFile rgba{1, 1, 8, PngColor::rgba, "\xff\x80\x00\x40"s};
  // 0.2989 * 255 + 0.587 * 128
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(rgba, ImageReadMode::gray)), (Pixels8{151}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(rgba, ImageReadMode::gray_alpha)),
            (Pixels8{151, 64}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(rgba, ImageReadMode::rgb)), (Pixels8{255, 128, 0}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(rgba, ImageReadMode::unchanged)),
            (Pixels8{255, 128, 0, 64}));
}

TEST(DecodePng, ReturnsIndicesOrColorsOfPalettes) {
  test::PngFile file{4, 1, 2, PngColor::palette, "\x1b"s, {{"PLTE", "abcdefghijkl"}}};
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(file)), (Pixels8{0, 1, 2, 3}));
  const std::string colors = "adgjbehkcfil";
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(file, ImageReadMode::rgb)),
            Pixels8(colors.begin(), colors.end()));
  const auto alpha = [&] {
    return to_vector<std::uint8_t>(decode_file(file, ImageReadMode::rgb_alpha)[3]);
  };
  EXPECT_EQ(alpha(), (Pixels8{255, 255, 255, 255}));
  file.chunks.emplace_back("tRNS", "\x07\x09"s);
  EXPECT_EQ(alpha(), (Pixels8{7, 9, 255, 255}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(file, ImageReadMode::rgb)),
            Pixels8(colors.begin(), colors.end()));
  EXPECT_EQ(decode_file(file, ImageReadMode::gray_alpha).shape(), Shape({2, 1, 4}));
}

TEST(DecodePng, UsesTransparentColorInModesWithAlpha) {
  const test::PngFile bits{4, 1, 2, PngColor::gray, "\x1b"s, {{"tRNS", "\0\2"s}}};
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(bits)), (Pixels8{0, 85, 170, 255}));
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(bits, ImageReadMode::gray_alpha)[1]),
            (Pixels8{255, 255, 0, 255}));
  const test::PngFile rgb{2, 1, 8, PngColor::rgb, "abcabd", {{"tRNS", "\0a\0b\0d"s}}};
  EXPECT_EQ(to_vector<std::uint8_t>(decode_file(rgb, ImageReadMode::rgb_alpha)[3]),
            (Pixels8{255, 0}));
  EXPECT_EQ(decode_file(rgb).shape(), Shape({3, 1, 2}));
  const test::PngFile deep{2, 1, 16, PngColor::gray, "\1\2\1\3"s, {{"tRNS", "\1\3"s}}};
  EXPECT_EQ(to_vector<std::uint16_t>(decode_file(deep, ImageReadMode::gray_alpha)[1]),
            (Pixels16{0xffff, 0}));
}

TEST(DecodePng, AppliesOrientation) {
  const test::PngFile file{
      2, 1, 16, PngColor::gray, "\0\1\0\2"s, {{"eXIf", exif_data(8, /*is_big_endian=*/false)}}};
  const std::string png = png_file(file);
  EXPECT_TRUE(decode_png(bytes_of(png), ImageReadMode::unchanged, true)
                  .equal(tensor({2, 1}, {.dtype = DType::u16}).reshape({1, 2, 1})));
  EXPECT_EQ(decode_png(bytes_of(png)).shape(), Shape({1, 1, 2}));
}

TEST(DecodePng, RejectsTruncatedFiles) {
  const std::string png = png_file({2, 2, 8, PngColor::rgb, "abcdefghijkl"});
  for (std::size_t n = 0; n < png.size(); ++n)
    EXPECT_THROW(decode_png(bytes_of(png.substr(0, n))), IoError) << n;
  EXPECT_EQ(error_text([&] { decode_png(bytes_of(png.substr(0, 40))); }),
            "decode_png: damaged PNG image: truncated data");
  EXPECT_EQ(error_text([&] { decode_png(bytes_of("GIF89a")); }),
            "decode_png: not a PNG image: got a GIF image");
}

TEST(DecodePng, RejectsChangedBytes) {
  const std::string png = png_file({2, 2, 8, PngColor::rgb, "abcdefghijkl"});
  for (std::size_t i = 0; i + 12 < png.size(); ++i) {
    std::string changed = png;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_THROW(decode_png(bytes_of(changed)), IoError) << i;
  }
}

TEST(DecodePng, RejectsSizesThatDoNotFitTheFile) {
  const std::string png = png_file({8000, 8000, 8, PngColor::rgba, "abcdefgh"});
  const std::string text = error_text([&] { decode_png(bytes_of(png)); });
  EXPECT_TRUE(
      text.starts_with("decode_png: damaged PNG image: truncated data: 8000 x 8000 pixels "
                       "need at least 248069 bytes, got "))
      << text;
  EXPECT_THROW(decode_file({60000, 60000, 1, PngColor::gray, "ab"}), IoError);
}

}  // namespace
}  // namespace taper
