// Kinds of the family utils.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "cases/case.h"
#include "layers/build.h"

namespace taper::oracle {

using UtilsKinds = std::map<std::string, void (*)(Case&)>;

void add_averaging_kinds(UtilsKinds& kinds);
void add_error_kinds(UtilsKinds& kinds);
void add_prune_kinds(UtilsKinds& kinds);
void add_sequence_kinds(UtilsKinds& kinds);
/// Adds the kinds on computed tensors and functional calls.
void add_parametrization_kinds(UtilsKinds& kinds);

/// Creates a float64 layer by name and arguments.
Built layer_of(const std::string& name, const Json& args, std::optional<bool> bias);

}  // namespace taper::oracle
