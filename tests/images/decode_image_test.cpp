// Detection of formats, PNM files, arguments and limits.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/png_file.h"
#include "support/temp_dir.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/data/image.h"

namespace taper {
namespace {

using namespace std::string_literals;
using data::ImageReadMode;
using test::error_text, test::PngColor, test::TempDir, test::to_vector;

Tensor decode_any(const std::string& file, ImageReadMode mode = ImageReadMode::unchanged) {
  return data::decode_image(std::as_bytes(std::span(file)), mode);
}

std::vector<int> pixels(const std::string& file, ImageReadMode mode = ImageReadMode::unchanged) {
  return to_vector<int>(decode_any(file, mode).to(DType::i32));
}

TEST(DecodeImage, ReadsPnm) {
  EXPECT_EQ(pixels("P1 # bits\n3 2\n010\n1 1 0"), (std::vector<int>{255, 0, 255, 0, 0, 255}));
  EXPECT_EQ(
      pixels("P4\n9 2\n\xaa\x80\x55\x00"s),
      (std::vector<int>{0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255}));
  EXPECT_EQ(pixels("P2\n2 2\n# maximum\n255\n1 2\n3 4"), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(pixels("P3 1 2 255 1 2 3 4 5 6 "), (std::vector<int>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(pixels("P5 2 1 255\n\0\xff"s), (std::vector<int>{0, 255}));
  EXPECT_EQ(pixels("P6\n1 1\n255\nabc"), (std::vector<int>{'a', 'b', 'c'}));
}

TEST(DecodeImage, ScalesPnmToTheRangeOfTheDtype) {
  // 10 / 100 * 255 is rounded to the even number.
  EXPECT_EQ(pixels("P2 4 1 100 0 10 33 100"), (std::vector<int>{0, 26, 84, 255}));
  EXPECT_EQ(decode_any("P5 1 1 65535\n\x12\x34"s).dtype(), DType::u16);
  EXPECT_EQ(pixels("P5 2 1 65535\n\x12\x34\xff\xff"s), (std::vector<int>{0x1234, 0xffff}));
  EXPECT_EQ(pixels("P2 2 1 1000 500 1000"), (std::vector<int>{32768, 65535}));
}

TEST(DecodeImage, ConvertsChannelsOfPnm) {
  EXPECT_EQ(pixels("P5 2 1 255\n\1\2"s, ImageReadMode::rgb_alpha),
            (std::vector<int>{1, 2, 1, 2, 1, 2, 255, 255}));
  EXPECT_EQ(pixels("P3 1 1 255 255 128 0", ImageReadMode::gray), (std::vector<int>{151}));
  EXPECT_EQ(pixels("P3 1 1 65535 65535 0 0", ImageReadMode::gray_alpha),
            (std::vector<int>{19595, 65535}));
}

TEST(DecodeImage, RejectsDamagedPnm) {
  for (const std::string& file :
       {"P5 2 2 255\n\1\2\3"s, "P5 0 2 255\n"s, "P5 -1 2 255\n\1"s, "P5 2 x 255\n"s,
        "P5 1 1 0\n\1"s, "P5 1 1 65536\n\1\1"s, "P2 2 1 7 8 1"s, "P2 2 1 255 1"s, "P1 2 1 02"s,
        "P3 1 1 255 1 x 2"s, "P5 99999 99999 255\n\1"s, "P5 9999999999 1 255\n\1"s,
        "P2 1 1 255 1x"s, "P6"s, "P4\n8 2\n\1"s, "P5\n"s, "P5 1"s, "P2 # 1 1 255 1"s})
    EXPECT_THROW(decode_any(file), IoError) << file;
  EXPECT_EQ(error_text([] { decode_any("P5 2 2 255\n\1\2\3"); }),
            "decode_image: damaged PNM image: truncated data: 2 x 2 pixels need at least 15 bytes, "
            "got 14");
  EXPECT_EQ(error_text([] { decode_any("P2 2 1 7 8 1"); }),
            "decode_image: damaged PNM image: a value exceeds the maximum value");
}

TEST(DecodeImage, RejectsOtherFormats) {
  const auto error = [](const std::string& file) {
    return error_text<IoError>([&] { decode_any(file); });
  };
  const std::string expected = ", expected JPEG, PNG or PNM";
  const std::string prefix = "decode_image: unsupported image format: got ";
  EXPECT_EQ(error(""), prefix + "no data" + expected);
  EXPECT_EQ(error("GIF89a"), prefix + "a GIF image" + expected);
  EXPECT_EQ(error("BM??"), prefix + "a BMP image" + expected);
  EXPECT_EQ(error("II*\0...."s), prefix + "a TIFF image" + expected);
  EXPECT_EQ(error("RIFF....WEBPVP8 "), prefix + "a WebP image" + expected);
  EXPECT_EQ(error("....ftypavif"), prefix + "an AVIF or HEIF image" + expected);
  EXPECT_EQ(error("P9\n1 1\n1\n1"), prefix + "data of another format" + expected);
}

TEST(DecodeImage, AcceptsTensors) {
  const std::string file = test::png_file({2, 1, 8, PngColor::gray, "\7\x08"s});
  const auto* const data = reinterpret_cast<const std::uint8_t*>(file.data());
  const Tensor bytes =
      tensor(std::span(data, file.size()), {static_cast<std::int64_t>(file.size())});
  EXPECT_EQ(to_vector<std::uint8_t>(data::decode_image(bytes)), (std::vector<std::uint8_t>{7, 8}));
  EXPECT_TRUE(data::decode_png(bytes).equal(data::decode_image(bytes)));
  EXPECT_THROW(data::decode_jpeg(bytes), IoError);
  EXPECT_THROW(data::decode_image(bytes.to(DType::i8)), DTypeError);
  EXPECT_THROW(data::decode_image(bytes.unsqueeze(0)), ShapeError);
  EXPECT_THROW(data::decode_image(bytes, static_cast<ImageReadMode>(9)), ValueError);
}

TEST(DecodeImage, LimitsTheNumberOfPixels) {
  const std::int64_t before = data::max_image_pixels();
  EXPECT_EQ(before, std::int64_t{1} << 27);
  data::set_max_image_pixels(3);
  EXPECT_EQ(pixels("P5 3 1 255\n\1\2\3"s).size(), 3u);
  EXPECT_EQ(error_text([] { decode_any("P5 2 2 255\n\1\2\3\4"s); }),
            "decode_image: PNM image of 2 x 2 pixels exceeds the limit of 3 pixels "
            "(max_image_pixels)");
  data::set_max_image_pixels(before);
  EXPECT_THROW(data::set_max_image_pixels(0), ValueError);
}

TEST(ReadImage, NamesTheFile) {
  const TempDir dir;
  const std::string path = dir / "x.png";
  const auto error = [&] { return error_text<IoError>([&] { data::read_image(path); }); };
  EXPECT_EQ(error(), "read_image: " + path + ": No such file or directory");
  test::write_bytes(path, "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(error(), "read_image: " + path + ": damaged PNG image: truncated data");
  test::write_bytes(path, "?");
  EXPECT_EQ(error(), "read_image: " + path +
                         ": unsupported image format: got data of another format, expected JPEG, "
                         "PNG or PNM");
  EXPECT_EQ(error_text<IoError>([&] { data::read_image(dir.path()); }),
            "read_image: " + dir.path() + ": is a directory, expected a file");
  test::write_bytes(path, "P5 1 1 255\n\7");
  EXPECT_EQ(data::read_image(path).item<int>(), 7);
}

}  // namespace
}  // namespace taper
