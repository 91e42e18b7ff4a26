// Pictures in files: PNG, PGM, PPM.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace training {

/// u8 (channels, height, width) of values 0 to 255, `channels` 1 (grey) or 3 (red, green, blue).
/// Reads PNG of every kind (what is transparent lies on black) and PGM and PPM, textual and binary,
/// told apart by their contents. Colours become grey by Rec. 601, grey becomes three equal colours.
/// Throws taper::IoError, naming the file, for what is no such image, damaged, or more than 2^26
/// pixels.
taper::Tensor read_image(const std::string& path, int channels);

/// Whether the name ends in .png, .pgm, .ppm or .pnm, in any case.
bool is_image_name(const std::string& path);

}  // namespace training
