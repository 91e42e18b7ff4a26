// Text files in the folder of a run.
#pragma once
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>

#include "taper/core/error.h"
#include "words.h"

namespace taper::cli {

/// Writes a file. Throws IoError with the path and `contents`, which describes the text.
inline void write_text(const std::string& path, std::string_view text, std::string_view contents) {
  std::ofstream out(path);
  out << text;
  if (!out.flush())
    throw taper::IoError(fmt::format("{}: cannot write the {}", printable(path), contents));
}

}  // namespace taper::cli
