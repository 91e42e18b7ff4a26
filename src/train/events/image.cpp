#include <algorithm>
#include <cctype>
#include <set>

#include "core/check.h"
#include "taper/core/factory.h"
#include "taper/data/image.h"
#include "train/events/media.h"

namespace taper::train::events {
namespace {

constexpr std::int64_t kImagesPerRow = 8;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;

std::string python_tuple(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

/// Returns the tensor with its dimensions, named by `format`, in the order `order`.
Tensor permute_to(const Tensor& image, const std::string& format, std::string_view order) {
  std::vector<std::int64_t> dims;
  for (const char name : order) {
    const std::size_t dim = format.find(name);
    if (dim == std::string::npos)
      fail<ValueError>("add_image: dataformats: expected a permutation of {}, got '{}'", order,
                       format);
    dims.push_back(static_cast<std::int64_t>(dim));
  }
  return image.permute(dims);
}

/// Returns the elements as u8: those of other types are multiplied by 255 and clipped.
Tensor to_bytes(const Tensor& image) {
  if (image.dtype() == DType::u8) return image.contiguous();
  const Tensor values = image.to(DType::f32).contiguous();
  Tensor bytes = empty(values.shape(), {.dtype = DType::u8});
  const auto from = values.data<float>();
  const auto to = bytes.mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const float scaled = from[i] * 255;
    to[i] = scaled >= 0 ? static_cast<std::uint8_t>(std::min(scaled, 255.0f)) : 0;  // 0 for NaN
  }
  return bytes;
}

/// Returns a batch of images (N, C, H, W) as one image (H, W, C), eight in a row.
Tensor make_grid(const Tensor& images) {
  const std::int64_t count = images.size(0), height = images.size(2), width = images.size(3);
  if (images.size(1) != 1 && images.size(1) != 3)
    fail<AssertionError>("add_images: Input should be a 4D numpy array with 3 channels");
  if (count == 0) fail<ValueError>("add_images: expected at least one image");
  const std::int64_t columns = std::min(count, kImagesPerRow),
                     rows = (count + columns - 1) / columns;
  const Tensor grid = zeros({rows * height, columns * width, 3}, {.dtype = images.dtype()});
  const Tensor channels_last = images.permute({0, 2, 3, 1}).expand({count, height, width, 3});
  for (std::int64_t i = 0; i < count; ++i)
    grid.narrow(0, i / columns * height, height)
        .narrow(1, i % columns * width, width)
        .copy_(channels_last.select(0, i));
  return grid;
}

}  // namespace

ImageSummary make_image(const Tensor& image, const std::string& dataformats) {
  if (std::set(dataformats.begin(), dataformats.end()).size() != dataformats.size())
    fail<AssertionError>(
        "add_image: You can not use the same dimension shorthand twice. input_format: {}",
        dataformats);
  if (static_cast<std::size_t>(image.dim()) != dataformats.size())
    fail<AssertionError>(
        "add_image: size of input tensor and input format are different. tensor shape: {}, "
        "input_format: {}",
        python_tuple(image.shape()), dataformats);
  std::string format = dataformats;
  for (char& c : format) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));

  const Tensor bytes = to_bytes(image.detach().cpu());
  Tensor pixels;
  if (format.size() == 4)
    pixels = make_grid(permute_to(bytes, format, "NCHW"));
  else if (format.size() == 3)
    pixels = permute_to(bytes, format, "HWC");
  else if (format.size() == 2)
    pixels = permute_to(bytes, format, "HW").unsqueeze(2);
  else
    fail<ValueError>("add_image: dataformats: expected two to four dimensions, got '{}'",
                     dataformats);
  const std::int64_t height = pixels.size(0), width = pixels.size(1);
  const std::int64_t channels = pixels.size(2) == 1 ? 3 : pixels.size(2);
  if (channels < 2 || channels > 4)
    fail<ValueError>("add_image: expected 1 to 4 channels, got {}", pixels.size(2));
  if (height < 1 || width < 1 || height > kMaxBytes / channels / width)
    fail<ValueError>("add_image: unsupported size of an image: {} x {}", height, width);
  const Tensor file = data::encode_png(pixels.expand({height, width, channels}).permute({2, 0, 1}));
  const auto bytes_of_file = file.data<std::uint8_t>();
  return {.height = height,
          .width = width,
          .colorspace = channels,
          .encoded_image = std::string(bytes_of_file.begin(), bytes_of_file.end())};
}

}  // namespace taper::train::events
