#pragma once
#include <optional>
#include <string_view>

#include "taper/core/device.h"

namespace taper::io {

/// Returns the device named in a file; nullopt for a device type that is neither PyTorch's nor used
/// by this program. A file must not register a device type or load its backend library. Throws
/// DeviceError if `text` is not a device.
std::optional<Device> parse_known_device(std::string_view text);

}  // namespace taper::io
