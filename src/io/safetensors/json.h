// The JSON type of this folder, whose objects keep their order. One only: each takes seconds to
// compile.
#pragma once
#include <nlohmann/json.hpp>

namespace taper::io {

using Json = nlohmann::ordered_json;

}  // namespace taper::io
