// Answers for programs.
#pragma once
#include <nlohmann/json.hpp>

#include "out.h"
#include "taper/core/value.h"

namespace taper::cli {

using Json = nlohmann::ordered_json;

/// Writes it with an indent of two. What is no UTF-8 in the names of a file becomes U+FFFD.
void print_json(Out& out, const Json& json);
Json json_of(const taper::Shape& shape);
/// A number; null for nan and the infinities, which JSON has not.
Json json_of(double value);
/// Numbers, texts, and lists and dicts of them as such; everything else as text.
Json json_of(const taper::Value& value);

}  // namespace taper::cli
