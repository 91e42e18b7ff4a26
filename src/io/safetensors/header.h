// JSON header of a safetensors file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/load_context.h"

namespace taper::io {

struct SafetensorsEntry {
  std::string name, dtype;  ///< the dtype as in the file: "F32"
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< byte offsets from the beginning of the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries{};  ///< in file order
  Value metadata{};        ///< the dict of strings under __metadata__; None if absent
  std::uint64_t data = 0;  ///< byte offset of the data
};

/// Parses the header. Offsets and shapes are not checked against the data. Throws LoadError if the
/// header is invalid.
SafetensorsHeader read_safetensors_header(const LoadContext& context);

}  // namespace taper::io
