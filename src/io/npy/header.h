// What a NumPy array file says of its array.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "taper/core/shape.h"

namespace taper::io {

struct NpyHeader {
  char order = '<';  ///< '<' little-endian, '>' big-endian, '|' does not matter
  std::string type;  ///< without the order: "f4"; with brackets for a structure
  bool fortran = false;
  Shape shape;
  std::size_t data = 0;  ///< where the elements begin
};

/// Throws ValueError, without a place, for what is no header of NumPy.
NpyHeader read_npy_header(std::span<const std::byte> bytes);

}  // namespace taper::io
