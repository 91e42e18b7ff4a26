// Images and sounds in the formats of event files.
#pragma once
#include <cstdint>
#include <string>

#include "taper/train/event_records.h"

namespace taper::train::events {

/// Returns the image with the dimensions `dataformats`, encoded as PNG; a batch of images as a
/// grid. Throws AssertionError with PyTorch's messages if `dataformats` does not fit, ValueError if
/// the size or the number of channels is not supported.
ImageSummary make_image(const Tensor& image, const std::string& dataformats);

/// Returns the sound as a WAV file. Throws AssertionError if it does not have one dimension of
/// samples.
AudioSummary make_audio(const Tensor& sound, std::int64_t sample_rate);

}  // namespace taper::train::events
