// Names of storage classes and dtypes in checkpoints.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/dtype.h"

namespace taper::io {

/// Returns the storage class of a dtype, such as "FloatStorage".
std::string_view storage_class(DType type);
std::optional<DType> dtype_of_storage(std::string_view class_name);
/// Returns the dtype with a name, such as "float32" or its alias "float"; nullopt if the dtype is
/// not supported.
std::optional<DType> dtype_named(std::string_view name);

}  // namespace taper::io
