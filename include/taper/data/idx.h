// The idx format, in which MNIST and its relatives come.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data {

/// The tensor in an idx file, plain or compressed by gzip: u8, i8, i16, i32, f32 or f64 of any
/// rank. Throws IoError for a file that cannot be read, has another magic, is cut short, or goes on
/// behind its last element.
Tensor read_idx(const std::string& path);

}  // namespace data
}  // namespace taper
