// Networks of models/ that commands know by name.
#pragma once
#include <optional>
#include <string>

#include "taper/core/shape.h"

namespace taper::cli {

/// Registers the networks of models/ with nn::make. Further calls have no effect.
void register_known_models();

/// Returns the shape of the input that a network is usually given, such as 1x3x224x224, by the name
/// of the network in lower case; empty for an unknown name.
std::optional<taper::Shape> usual_input(const std::string& name);

}  // namespace taper::cli
