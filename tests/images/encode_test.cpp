// Encoding of images and writing of files.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/data/image.h"

namespace taper {
namespace {

using test::arange_shaped, test::error_text, test::TempDir;

TEST(EncodePng, PreservesPixels) {
  for (const DType dtype : {DType::u8, DType::u16})
    for (const std::int64_t channels : {1, 2, 3, 4})
      for (const int level : {0, 6, 9}) {
        const Tensor image = (arange_shaped({channels, 5, 7}, DType::i64) * 437).to(dtype);
        EXPECT_TRUE(data::decode_png(data::encode_png(image, level)).equal(image))
            << channels << " " << level;
      }
}

TEST(EncodePng, AcceptsViews) {
  const Tensor image = arange_shaped({6, 4, 3}, DType::u8);
  const Tensor view = image.permute({2, 0, 1}).narrow(1, 1, 3);
  EXPECT_TRUE(data::decode_png(data::encode_png(view)).equal(view));
}

TEST(EncodeJpeg, ApproximatesPixels) {
  const Tensor smooth = (arange_shaped({1, 16, 24}, DType::i64) / 3.0).to(DType::u8);
  for (const std::int64_t channels : {1, 3}) {
    const Tensor image = smooth.expand({channels, 16, 24});
    const auto error_of = [&](int quality) {
      const Tensor decoded = data::decode_jpeg(data::encode_jpeg(image, quality));
      EXPECT_EQ(decoded.shape(), image.shape());
      return (decoded.to(DType::f64) - image.to(DType::f64)).abs().max().item<double>();
    };
    // Rounding of the coefficients and of the color conversion.
    EXPECT_LE(error_of(100), 3);
    EXPECT_LE(error_of(75), 20);
    EXPECT_GT(data::encode_jpeg(image, 95).numel(), data::encode_jpeg(image, 10).numel());
  }
}

TEST(EncodeJpeg, WritesLongOutput) {
  const Tensor noise = (arange_shaped({3, 256, 256}, DType::i64) * 7919 % 251).to(DType::u8);
  const Tensor file = data::encode_jpeg(noise, 100);
  EXPECT_GT(file.numel(), 1 << 15);  // several times the size of the buffer
  EXPECT_EQ(data::decode_jpeg(file).shape(), noise.shape());
}

TEST(EncodeImage, RejectsOtherImages) {
  const Tensor image = zeros({3, 2, 2}, {.dtype = DType::u8});
  EXPECT_EQ(error_text<DTypeError>([&] { data::encode_jpeg(image.to(DType::f32)); }),
            "encode_jpeg: input must be uint8: got float32");
  EXPECT_THROW(data::encode_jpeg(image.to(DType::u16)), DTypeError);
  EXPECT_THROW(data::encode_png(image.to(DType::i32)), DTypeError);
  EXPECT_THROW(data::encode_jpeg(image[0]), ShapeError);
  EXPECT_THROW(data::encode_jpeg(zeros({2, 2, 2}, {.dtype = DType::u8})), ShapeError);
  EXPECT_THROW(data::encode_png(zeros({5, 2, 2}, {.dtype = DType::u8})), ShapeError);
  EXPECT_THROW(data::encode_png(zeros({3, 0, 2}, {.dtype = DType::u8})), ShapeError);
  EXPECT_THROW(data::encode_jpeg(zeros({1, 1, 70000}, {.dtype = DType::u8})), RuntimeError);
  EXPECT_EQ(error_text<ValueError>([&] { data::encode_jpeg(image, 0); }),
            "encode_jpeg: quality must be in [1, 100]: got 0");
  EXPECT_THROW(data::encode_jpeg(image, 101), ValueError);
  EXPECT_THROW(data::encode_png(image, 10), ValueError);
  EXPECT_THROW(data::encode_png(image, -1), ValueError);
}

TEST(WriteImage, CreatesFiles) {
  const TempDir dir;
  const Tensor image = arange_shaped({3, 4, 5}, DType::u8);
  data::write_png(image, dir / "a.png");
  EXPECT_TRUE(data::read_image(dir / "a.png").equal(image));
  data::write_jpeg(image, dir / "a.jpg", 90);
  EXPECT_TRUE(data::read_file(dir / "a.jpg").equal(data::encode_jpeg(image, 90)));
  const std::string before = test::read_bytes(dir / "a.png");
  EXPECT_THROW(data::write_png(image.to(DType::f32), dir / "a.png"), DTypeError);
  EXPECT_EQ(test::read_bytes(dir / "a.png"), before);
  EXPECT_EQ(error_text<IoError>([&] { data::write_png(image, dir / "none/a.png"); }),
            "write_png: " + (dir / "none/a.png") + ": No such file or directory");
}

TEST(WriteFile, PreservesBytes) {
  const TempDir dir;
  for (const std::int64_t size : {0, 1, 200000}) {
    const Tensor bytes = arange(size).to(DType::u8);
    data::write_file(dir / "x", bytes);
    EXPECT_TRUE(data::read_file(dir / "x").equal(bytes)) << size;
  }
  EXPECT_THROW(data::write_file(dir / "x", zeros({2})), ValueError);
  EXPECT_THROW(data::write_file(dir / "x", zeros({2, 2}, {.dtype = DType::u8})), ValueError);
  EXPECT_THROW(static_cast<void>(data::read_file(dir / "none")), IoError);
}

}  // namespace
}  // namespace taper
