// Encoding of PNG files.
#pragma once
#include <string>

#include "data/image/codec_table.h"

namespace taper::data {

/// Returns the image as a PNG file: with 1 to 4 channels (gray, gray and alpha, RGB, RGBA) of 8 or
/// 16 bits. `compression_level` is that of zlib, 0 to 9.
std::string png_file(const ImageRows& image, int compression_level);

}  // namespace taper::data
