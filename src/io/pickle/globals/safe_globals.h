// The names that torch.load(weights_only=True) accepts in a pickle.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "taper/io/pickle_scan.h"

namespace taper::io {

/// Returns the name of a global in Python 3 and NumPy 2: "builtins.set" for "__builtin__.set".
std::string python_name(std::string_view name);
/// Returns the risk of a name in known_globals.inc; nullopt if the name is not in that table or its
/// risk depends on the module.
std::optional<PickleRisk> known_risk(std::string_view python_name);
/// Returns true if torch.load(weights_only=True) accepts the name. Names in module torch are also
/// accepted if they are those of dtypes, storage classes, tensor classes or quantization schemes.
bool is_safe_global(const std::string& python_name);

}  // namespace taper::io
