// Image files: JPEG, PNG, PBM, PGM, PPM.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace training {

/// Reads an image as u8 (channels, height, width) with values 0 to 255, where `channels` is 1
/// (gray) or 3 (RGB). The orientation in EXIF data is applied, transparency is composited on black,
/// and color is converted to gray by Rec. 601. Throws the errors of taper::data::read_image.
taper::Tensor read_image(const std::string& path, int channels);

/// Returns true if the name ends in .jpg, .jpeg, .png, .pbm, .pgm, .ppm or .pnm, in any case.
bool is_image_name(const std::string& path);

}  // namespace training
