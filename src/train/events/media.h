// Images and sounds in the formats of event files.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "taper/train/event_records.h"

namespace taper::train::events {

/// Returns the image with the dimensions `dataformats`, encoded as PNG; a batch of images as a
/// grid. Throws AssertionError with PyTorch's messages if `dataformats` does not fit, ValueError if
/// the size or the number of channels is not supported.
ImageSummary make_image(const Tensor& image, const std::string& dataformats);

/// Returns a PNG file of `pixels` (height, width, channels) with 2 (gray and alpha), 3 (RGB) or 4
/// (RGBA) channels.
std::string encode_png(std::span<const std::uint8_t> pixels, std::int64_t height,
                       std::int64_t width, std::int64_t channels);

/// Returns the sound as a WAV file. Throws AssertionError if it does not have one dimension of
/// samples.
AudioSummary make_audio(const Tensor& sound, std::int64_t sample_rate);

}  // namespace taper::train::events
