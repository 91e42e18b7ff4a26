// Devices by the names that files give them.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/device.h"

namespace taper::io {

/// None for a kind that neither PyTorch has nor this program has named itself. The name of a kind
/// is kept for good and its backend is a library of that name: a file shall bring in neither.
/// Throws DeviceError for text that is no device at all.
std::optional<Device> device_named(std::string_view text);

}  // namespace taper::io
