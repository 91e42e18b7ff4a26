// The closed table of what a checkpoint's pickle may call.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::io {

/// callable(*arguments) as a value: a container, a tensor over the storage that stands first among
/// the arguments, or an opaque value where the name is not of a checkpoint. Throws IoError
/// (`path`).
Value rebuild(const Value& callable, const Value& arguments, const std::string& path);
/// A global by name: a dtype, or a name kept as data.
Value global(std::string_view module, std::string_view name);

}  // namespace taper::io
