// Decoding of images: detection of the format, limits, conversion to tensors.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "data/image/encoded.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::data {
namespace {

std::atomic<std::int64_t> pixel_limit = std::int64_t{1} << 27;

bool starts_with(std::span<const unsigned char> bytes, std::string_view magic,
                 std::size_t offset = 0) {
  return bytes.size() >= offset + magic.size() &&
         std::memcmp(bytes.data() + offset, magic.data(), magic.size()) == 0;
}

bool is_jpeg(std::span<const unsigned char> bytes) { return starts_with(bytes, "\xff\xd8\xff"); }
bool is_png(std::span<const unsigned char> bytes) {
  return starts_with(bytes, "\x89PNG\r\n\x1a\n");
}
bool is_pnm(std::span<const unsigned char> bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         std::string_view(" \t\r\n#").find(static_cast<char>(bytes[2])) != std::string_view::npos;
}

/// Returns the name of a format that is recognized but not supported, or of the contents.
const char* describe_format(std::span<const unsigned char> bytes) {
  if (bytes.empty()) return "no data";
  if (starts_with(bytes, "GIF8")) return "a GIF image";
  if (starts_with(bytes, "BM")) return "a BMP image";
  if (starts_with(bytes, "WEBP", 8)) return "a WebP image";
  if (starts_with(bytes, "ftyp", 4)) return "an AVIF or HEIF image";
  if (starts_with(bytes, std::string_view("II*\0", 4)) ||
      starts_with(bytes, std::string_view("MM\0*", 4)))
    return "a TIFF image";
  return "data of another format";
}

/// An open decoder of a codec.
class Decoder {
 public:
  Decoder(const ImageDecoderTable& table, const char* format, const EncodedFile& file)
      : table_(table), format_(format), file_(file) {
    CodecMessage message;
    decoder_ = table_.open(file.bytes.data(), file.bytes.size(), header_, message);
    if (!decoder_) file_.reject("damaged {} image: {}", format_, message.text);
  }
  ~Decoder() { table_.close(decoder_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  const ImageHeader& header() const { return header_; }
  /// Returns the image as a tensor. Its rows are decoded with 1 to 4 channels, or with the stored
  /// ones if `channels` is 0, and converted by `convert(rows)`, which returns Pixels.
  template <class Convert>
  Tensor read(std::size_t channels, bool apply_exif_orientation, const Convert& convert) {
    file_.check_size(format_, header_.width, header_.height, header_.min_file_size);
    const std::size_t decoded = channels ? channels : static_cast<std::size_t>(header_.channels);
    const auto bits = static_cast<std::size_t>(header_.bits);
    const int orientation =
        apply_exif_orientation ? exif_orientation(header_.exif, header_.exif_size) : 1;
    const std::uint32_t count = rows_per_read(decoded * bits / 8);
    std::optional<PlaneWriter> writer;
    CodecMessage message;
    std::uint32_t height = 0;
    for (std::uint32_t rest = header_.height; rest > 0; rest -= height) {
      height = std::min(count, rest);
      Pixels rows{header_.width, height, decoded, bits, orientation};
      rows.allocate();
      if (!table_.read(decoder_, static_cast<int>(channels), rows.bytes, height, message))
        file_.reject("damaged {} image: {}", format_, message.text);
      rows = convert(std::move(rows));
      if (!writer)
        writer.emplace(
            Pixels{header_.width, header_.height, rows.channels, rows.bits, orientation});
      writer->write(rows);
    }
    if (*message.text)
      warn(format_message("{}: damaged {} data: {}", file_.name, format_, message.text));
    return writer->tensor();
  }

 private:
  /// Returns the number of rows that are decoded at once, so that they remain in the cache until
  /// they are copied to the planes of the tensor.
  std::uint32_t rows_per_read(std::size_t bytes_per_pixel) const {
    constexpr std::size_t kBytes = std::size_t{16} << 10;
    const std::size_t count = kBytes / (header_.width * bytes_per_pixel);
    return header_.is_interlaced
               ? header_.height
               : static_cast<std::uint32_t>(std::clamp<std::size_t>(count, 1, header_.height));
  }

  const ImageDecoderTable& table_;
  const char* format_;
  const EncodedFile& file_;
  ImageHeader header_{};
  void* decoder_ = nullptr;
};

using Reader = Tensor (*)(const EncodedFile& file, ImageReadMode mode, bool apply_exif_orientation);

Reader find_reader(const EncodedFile& file) {
  if (is_jpeg(file.bytes)) return read_jpeg;
  if (is_png(file.bytes)) return read_png;
  if (is_pnm(file.bytes)) return read_pnm;
  file.reject("unsupported image format: got {}, expected JPEG, PNG or PNM",
              describe_format(file.bytes));
}

Tensor decode(const EncodedFile& file, Reader reader, ImageReadMode mode,
              bool apply_exif_orientation) {
  if (mode > ImageReadMode::rgb_alpha)
    fail<ValueError>("{}: unknown ImageReadMode: got {}", file.name, static_cast<int>(mode));
  return reader(file, mode, apply_exif_orientation);
}

std::span<const unsigned char> to_unsigned(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

/// Returns the tensor, contiguous and on the CPU. Throws DTypeError or ShapeError unless it is u8
/// of one dimension.
Tensor check_bytes(const char* op, const Tensor& input) {
  if (input.dtype() != DType::u8)
    fail<DTypeError>("{}: input must be uint8: got {}", op, input.dtype());
  if (input.dim() != 1)
    fail<ShapeError>("{}: input must have one dimension: got {}", op, input.shape());
  return input.to(Device::cpu()).contiguous();
}

std::span<const std::byte> bytes_of(const Tensor& t) {
  return std::as_bytes(t.data<std::uint8_t>());
}

}  // namespace

std::int64_t max_image_pixels() { return pixel_limit; }

void set_max_image_pixels(std::int64_t pixels) {
  if (pixels <= 0) fail<ValueError>("set_max_image_pixels: must be positive: got {}", pixels);
  pixel_limit = pixels;
}

void EncodedFile::check_size(const char* format, std::size_t width, std::size_t height,
                             std::uint64_t min_file_size) const {
  if (width == 0 || height == 0)
    reject("damaged {} image: width and height must be positive: got {} x {}", format, width,
           height);
  const std::int64_t limit = max_image_pixels();
  if (width > static_cast<std::uint64_t>(limit) / height)
    reject("{} image of {} x {} pixels exceeds the limit of {} pixels (max_image_pixels)", format,
           width, height, limit);
  if (min_file_size > bytes.size())
    reject("damaged {} image: truncated data: {} x {} pixels need at least {} bytes, got {}",
           format, width, height, min_file_size, bytes.size());
}

Tensor read_jpeg(const EncodedFile& file, ImageReadMode mode, bool apply_exif_orientation) {
  if (!is_jpeg(file.bytes)) file.reject("not a JPEG image: got {}", describe_format(file.bytes));
  Decoder decoder(image_codecs(file.name).jpeg, "JPEG", file);
  const bool is_cmyk = decoder.header().channels == 4;
  const std::size_t channels = channels_of(mode);
  return decoder.read(channels == 0 || is_cmyk ? 0
                      : channels < 3           ? 1
                                               : 3,
                      apply_exif_orientation, [&](Pixels rows) {
                        return channels != 0 && is_cmyk ? convert_channels(cmyk_to_rgb(rows), mode)
                                                        : convert_channels(std::move(rows), mode);
                      });
}

Tensor read_png(const EncodedFile& file, ImageReadMode mode, bool apply_exif_orientation) {
  if (!is_png(file.bytes)) file.reject("not a PNG image: got {}", describe_format(file.bytes));
  return Decoder(image_codecs(file.name).png, "PNG", file)
      .read(channels_of(mode), apply_exif_orientation, [](Pixels rows) { return rows; });
}

Tensor decode_image(std::span<const std::byte> input, ImageReadMode mode,
                    bool apply_exif_orientation) {
  const EncodedFile file{"decode_image", to_unsigned(input)};
  return decode(file, find_reader(file), mode, apply_exif_orientation);
}
Tensor decode_image(const Tensor& input, ImageReadMode mode, bool apply_exif_orientation) {
  const Tensor bytes = check_bytes("decode_image", input);
  return decode_image(bytes_of(bytes), mode, apply_exif_orientation);
}

Tensor decode_jpeg(std::span<const std::byte> input, ImageReadMode mode,
                   bool apply_exif_orientation) {
  return decode({"decode_jpeg", to_unsigned(input)}, read_jpeg, mode, apply_exif_orientation);
}
Tensor decode_jpeg(const Tensor& input, ImageReadMode mode, bool apply_exif_orientation) {
  const Tensor bytes = check_bytes("decode_jpeg", input);
  return decode_jpeg(bytes_of(bytes), mode, apply_exif_orientation);
}

Tensor decode_png(std::span<const std::byte> input, ImageReadMode mode,
                  bool apply_exif_orientation) {
  return decode({"decode_png", to_unsigned(input)}, read_png, mode, apply_exif_orientation);
}
Tensor decode_png(const Tensor& input, ImageReadMode mode, bool apply_exif_orientation) {
  const Tensor bytes = check_bytes("decode_png", input);
  return decode_png(bytes_of(bytes), mode, apply_exif_orientation);
}

Tensor read_image(const std::string& path, ImageReadMode mode, bool apply_exif_orientation) {
  return decode_file(path, read_file_bytes("read_image", path), mode, apply_exif_orientation);
}

Tensor decode_file(const std::string& path, const std::string& bytes, ImageReadMode mode,
                   bool apply_exif_orientation) {
  const EncodedFile file{"read_image: " + path, to_unsigned(std::as_bytes(std::span(bytes)))};
  return decode(file, find_reader(file), mode, apply_exif_orientation);
}

}  // namespace taper::data
