// Image files: PNG, PGM, PPM.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace training {

/// Reads an image as u8 (channels, height, width) with values 0 to 255, where `channels` is 1
/// (gray) or 3 (RGB). Supports PNG of every kind (transparency is composited on black), and textual
/// and binary PGM and PPM, distinguished by content. Color is converted to gray by Rec. 601, gray
/// to three equal channels. Throws taper::IoError naming the file if it is not such an image, is
/// damaged, or has more than 2^26 pixels.
taper::Tensor read_image(const std::string& path, int channels);

/// Returns true if the name ends in .png, .pgm, .ppm or .pnm, in any case.
bool is_image_name(const std::string& path);

}  // namespace training
