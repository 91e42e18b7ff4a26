// The JSON type of this folder, whose objects keep their order. One only: each takes seconds to
// compile.
#pragma once
// A name of our own, so that the linker does not merge these functions with those of a program that
// includes the library with other options.
#define nlohmann taper_nlohmann
#include <nlohmann/json.hpp>

namespace taper::io {

using Json = nlohmann::ordered_json;

}  // namespace taper::io
