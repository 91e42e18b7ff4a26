// Loading backends for other kinds of devices.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace backend {

/// What came of loading a backend.
struct Loaded {
  std::string kind;                  ///< the kind of device it brought
  int devices = 0;                   ///< how many there are
  std::vector<std::string> kernels;  ///< ops that run on its own kernels
  std::vector<std::string> refused;  ///< kernels written for another schema of their op, with both
};
/// Loads the shared library and makes its devices known. A backend named `libtaper_<kind>.so` on
/// the library path is loaded without asking when a device of that kind is first named. Throws
/// IoError if it cannot be loaded, DeviceError if it is none, speaks another version, or its kind
/// is taken.
Loaded load(const std::string& path);

/// "add(input, other; alpha: scalar) -> output". Throws KeyError for a name that is no op.
std::string schema_of(std::string_view op);

/// Waits until the device has done all that it was given.
void synchronize(std::string_view device);

}  // namespace backend
}  // namespace taper
