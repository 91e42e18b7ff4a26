// Names of storage classes in checkpoints.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/dtype.h"

namespace taper::io {

/// "FloatStorage".
std::string_view storage_class(DType type);
std::optional<DType> dtype_of_storage(std::string_view class_name);
/// The dtype of "float32" or an older name such as "half"; none for what is not supported.
std::optional<DType> dtype_named(std::string_view name);

}  // namespace taper::io
