// Encoding of images.
#include "data/image/encoded.h"
#include "data/image/png_writer.h"
#include "taper/core/factory.h"

namespace taper::data {
namespace {

/// Returns the image (H, W, C) on the CPU. Throws ShapeError unless it has `max_channels` or fewer
/// channels and is not empty.
Tensor interleaved(const char* op, const Tensor& input, std::int64_t max_channels) {
  if (input.dim() != 3 || input.numel() == 0 || input.size(0) > max_channels)
    fail<ShapeError>(
        "{}: input must be a nonempty image (C, H, W) with at most {} channels: got {}", op,
        max_channels, input.shape());
  constexpr std::int64_t kMaxSize = (std::int64_t{1} << 31) - 1;
  if (input.size(1) > kMaxSize || input.size(2) > kMaxSize)
    fail<ShapeError>("{}: the image is too large: got {}", op, input.shape());
  return input.detach().to(Device::cpu()).permute({1, 2, 0}).contiguous();
}

ImageRows rows_of(const Tensor& image) {
  ImageRows rows;
  rows.height = static_cast<std::uint32_t>(image.size(0));
  rows.width = static_cast<std::uint32_t>(image.size(1));
  rows.channels = static_cast<int>(image.size(2));
  rows.bits = static_cast<int>(8 * image.element_size());
  rows.bytes = image.dtype() == DType::u8
                   ? image.const_data_ptr<std::uint8_t>()
                   : reinterpret_cast<const unsigned char*>(image.const_data_ptr<std::uint16_t>());
  return rows;
}

void check_range(const char* op, const char* what, std::int64_t value, std::int64_t min,
                 std::int64_t max) {
  if (value < min || value > max)
    fail<ValueError>("{}: {} must be in [{}, {}]: got {}", op, what, min, max, value);
}

Tensor encode_as_jpeg(const char* op, const Tensor& input, std::int64_t quality) {
  if (input.dtype() != DType::u8)
    fail<DTypeError>("{}: input must be uint8: got {}", op, input.dtype());
  check_range(op, "quality", quality, 1, 100);
  const Tensor image = interleaved(op, input, 3);
  if (image.size(2) == 2)
    fail<ShapeError>("{}: input must have 1 or 3 channels: got {}", op, input.shape());
  struct Output {
    const ImageCodecs& codecs;
    EncodedImage image{};
    ~Output() { codecs.release(image); }
  } output{image_codecs(op)};
  CodecMessage message;
  if (!output.codecs.encode_jpeg(rows_of(image), static_cast<int>(quality), output.image, message))
    fail<RuntimeError>("{}: cannot encode an image of shape {} (H, W, C): {}", op, image.shape(),
                       message.text);
  return tensor(std::span<const std::uint8_t>(output.image.bytes, output.image.size),
                {static_cast<std::int64_t>(output.image.size)});
}

Tensor encode_as_png(const char* op, const Tensor& input, std::int64_t compression_level) {
  if (input.dtype() != DType::u8 && input.dtype() != DType::u16)
    fail<DTypeError>("{}: input must be uint8 or uint16: got {}", op, input.dtype());
  check_range(op, "compression_level", compression_level, 0, 9);
  const std::string file =
      png_file(rows_of(interleaved(op, input, 4)), static_cast<int>(compression_level));
  return tensor(std::span(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()),
                {static_cast<std::int64_t>(file.size())});
}

}  // namespace

Tensor encode_jpeg(const Tensor& input, IntArg quality) {
  return encode_as_jpeg("encode_jpeg", input, quality);
}
Tensor encode_png(const Tensor& input, IntArg compression_level) {
  return encode_as_png("encode_png", input, compression_level);
}

void write_jpeg(const Tensor& input, const std::string& filename, IntArg quality) {
  const Tensor bytes = encode_as_jpeg("write_jpeg", input, quality);
  write_file_bytes("write_jpeg", filename, bytes.data<std::uint8_t>());
}
void write_png(const Tensor& input, const std::string& filename, IntArg compression_level) {
  const Tensor bytes = encode_as_png("write_png", input, compression_level);
  write_file_bytes("write_png", filename, bytes.data<std::uint8_t>());
}

}  // namespace taper::data
