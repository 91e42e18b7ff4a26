// Header of a NumPy array file.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "taper/core/shape.h"

namespace taper::io {

struct NpyHeader {
  char order = '<';  ///< byte order: '<' little-endian, '>' big-endian, '|' not applicable
  std::string type;  ///< dtype without the byte order, such as "f4"; in brackets if structured
  bool fortran = false;
  Shape shape;
  std::size_t data = 0;  ///< byte offset of the elements
};

/// Parses the header of a NumPy array file. Throws ValueError, without the file name, if it is
/// invalid.
NpyHeader read_npy_header(std::span<const std::byte> bytes);

}  // namespace taper::io
