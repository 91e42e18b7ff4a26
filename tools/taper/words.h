// Formatting of numbers and names.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "epochs.h"
#include "taper/core/shape.h"

namespace taper::cli {

/// Formats an integer with commas: "1,234,567".
inline std::string with_commas(std::uint64_t n) {
  return training::with_commas(static_cast<std::int64_t>(n));
}
/// Formats a size with decimal units: 44700000 is "44.7 MB".
std::string format_bytes(std::uint64_t bytes);
/// Formats a number with its noun: "1 tensor", "3 tensors".
std::string format_count(std::uint64_t n, std::string_view what);
/// Formats a shape: "64 x 3 x 7 x 7", or "scalar" if it is empty.
std::string format_shape(const taper::Shape& shape);
/// Formats a number with four significant digits: "0.01231", "1.2e-09", "nan".
std::string format_number(double value);

/// Escapes text from a file for the terminal and shortens it to `max` (`taper::io::shown`).
std::string printable(std::string_view text, std::size_t max = 400);
/// Draws a bar of `share` of `columns`, in steps of an eighth of a column.
std::string draw_bar(double share, int columns);
/// Returns the last component of a path: "model.pt" of "path/to/model.pt".
std::string file_name(const std::string& path);

}  // namespace taper::cli
