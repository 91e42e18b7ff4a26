// Numbers and names as people read them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "epochs.h"
#include "taper/core/shape.h"

namespace taper::cli {

inline std::string with_commas(std::uint64_t n) {
  return training::with_commas(static_cast<std::int64_t>(n));
}
/// 44700000 -> "44.7 MB"; powers of a thousand.
std::string human_bytes(std::uint64_t bytes);
/// "1 tensor", "3 tensors".
std::string counted(std::uint64_t n, std::string_view what);
/// "64 x 3 x 7 x 7", "scalar".
std::string dimensions(const taper::Shape& shape);
/// Four digits: "0.01231", "1.2e-09", "nan".
std::string short_number(double value);

/// Text of a file for the terminal, escaped and cut by `taper::io::shown`.
std::string printable(std::string_view text, std::size_t max = 400);
/// A bar of eighths of a column.
std::string bar(double share, int columns);
/// "path/to/model.pt" -> "model.pt".
std::string file_name(const std::string& path);

}  // namespace taper::cli
