// The JSON that a safetensors file begins with.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/load_context.h"

namespace taper::io {

struct SafetensorsEntry {
  std::string name, dtype;  ///< "F32"
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< in bytes from the beginning of the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries{};  ///< as they stand in the JSON
  Value metadata{};                         ///< the strings under __metadata__: a dict, or none
  std::uint64_t data = 0;                   ///< where the data begin
};

/// Reads the header. What it says of the tensors is not compared with the data yet. Throws IoError.
SafetensorsHeader read_safetensors_header(const LoadContext& context);

}  // namespace taper::io
