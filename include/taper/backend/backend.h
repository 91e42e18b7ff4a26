// Loading of external backends.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace backend {

/// Result of loading a backend.
struct LoadedBackend {
  std::string device_type;            ///< device type of the backend
  int devices = 0;                    ///< number of devices
  std::vector<std::string> kernels;   ///< ops with a kernel of the backend
  std::vector<std::string> rejected;  ///< kernels with a mismatched op schema, with both schemas
};
/// Loads a backend from the shared library at `path`, registers its device type and returns its
/// description. A backend named
/// `libtaper_<type>.so` on the library path is loaded automatically when a device of its type is
/// first used. Throws IoError if the library cannot be loaded, DeviceError if it is not a backend,
/// has a different ABI version, or its device type is already registered.
LoadedBackend load(const std::string& path);

/// Returns the schema of an op: "add(input, other; alpha: scalar) -> output". Throws KeyError if
/// the op does not exist.
std::string op_schema(std::string_view op);

/// Waits until all operations on a device have completed; returns at once for meta. Throws
/// DeviceError if the string is not a device or its backend is not available.
/// PyTorch: torch.cuda.synchronize.
void synchronize(std::string_view device);

}  // namespace backend
}  // namespace taper
