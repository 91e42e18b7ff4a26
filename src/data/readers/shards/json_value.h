// parse_json: reads JSON into a Value.
#pragma once
#include <string_view>

#include "taper/core/value.h"

namespace taper::data {

/// Parses JSON text as json.loads of Python does: NaN, Infinity and integers of any size are
/// accepted, a key that occurs twice has its last value. Throws ValueError with the position if the
/// text is invalid or nested deeper than 1000 levels.
Value parse_json(std::string_view text);

}  // namespace taper::data
