// MapLocation: devices of loaded tensors.
#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {

/// Maps the location at which a storage was saved ("cpu", "cuda:0") to the device to which it is
/// loaded. PyTorch: the argument map_location of torch.load.
class MapLocation {
 public:
  /// Loads every storage to its saved location.
  MapLocation() = default;
  MapLocation(std::nullopt_t) {}
  /// Loads all storages to one device: `Device::cpu()`, "cuda:1".
  template <std::convertible_to<Device> D> MapLocation(const D& device)
      : where_([device = Device(device)](const std::string&) { return std::optional(device); }) {}
  /// Maps saved locations to devices: `{{"cuda:1", "cuda:0"}}`. Other storages are loaded to their
  /// saved location.
  MapLocation(std::initializer_list<std::pair<std::string, Device>> places);
  /// Maps locations by a function. If its result is empty, the storage is loaded to its saved
  /// location.
  template <class F>
  requires(std::is_invocable_r_v<std::optional<Device>, F&, const std::string&> &&
           !std::convertible_to<F, Device>) MapLocation(F where)
      : where_(std::move(where)) {}

  /// Returns the device for a saved location, or nullopt if the location is not mapped.
  std::optional<Device> operator()(const std::string& saved) const {
    return where_ ? where_(saved) : std::nullopt;
  }

 private:
  SharedFunction<std::optional<Device>(const std::string& saved)> where_;
};

}  // namespace taper
