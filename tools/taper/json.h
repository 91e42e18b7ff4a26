// JSON output.
#pragma once
#include <nlohmann/json.hpp>

#include "out.h"
#include "taper/core/value.h"

namespace taper::cli {

using Json = nlohmann::ordered_json;

/// Writes `json` with an indent of 2. Invalid UTF-8 is replaced with U+FFFD.
void print_json(Out& out, const Json& json);
Json json_of(const taper::Shape& shape);
/// Returns a number, or null for NaN and infinities, which JSON cannot represent.
Json json_of(double value);
/// Returns numbers, strings, None and flat sequences as JSON values, and other values as text.
Json json_of(const taper::Value& value);

}  // namespace taper::cli
