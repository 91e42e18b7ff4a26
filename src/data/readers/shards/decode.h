// Names and fields of the examples in tar archives.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "taper/data/web_dataset.h"

namespace taper::data {

/// Returns the key and the field name, in small letters, of a file; nullopt if it is not part of an
/// example.
std::optional<std::pair<std::string, std::string>> split_name(std::string_view path);

/// Decodes the bytes of a field. Throws ValueError, without the name of the field, if they are
/// invalid.
Value decode_field(const std::string& field, std::string bytes, const WebDatasetOptions& options);

}  // namespace taper::data
