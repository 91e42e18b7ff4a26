// read_idx: reads files in IDX format, the format of MNIST.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data {

/// Reads an IDX file, optionally compressed with gzip, into a tensor of type u8, i8, i16, i32, f32
/// or f64 and any rank. Throws IoError if the file cannot be read, has an invalid magic number, is
/// truncated, or has trailing data.
Tensor read_idx(const std::string& path);

}  // namespace data
}  // namespace taper
