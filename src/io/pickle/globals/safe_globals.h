// The names that torch.load(weights_only=True) lets a pickle have.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "taper/io/pickle_scan.h"

namespace taper::io {

/// The name of a global as Python 3 and NumPy 2 have it: "builtins.set" of "__builtin__.set".
std::string python_name(std::string_view name);
/// Returns the risk of a name in known_globals.inc; none if it depends on the module.
std::optional<PickleRisk> known_risk(std::string_view python_name);
/// Whether PyTorch's reader allows it. Of names in module torch also all that end as dtypes,
/// storage and tensor classes and quantization schemes do: nothing else is called so.
bool is_safe_global(const std::string& python_name);

}  // namespace taper::io
