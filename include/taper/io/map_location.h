// Where the tensors of a checkpoint go.
#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/function.h"

namespace TAPER_API taper {

/// Says for the place where a storage was saved ("cpu", "cuda:0") to which device it goes.
/// PyTorch: the argument map_location of torch.load.
class MapLocation {
 public:
  /// Where it was saved from.
  MapLocation() = default;
  MapLocation(std::nullopt_t) {}
  /// Everything to one device: `Device::cpu()`, "cuda:1".
  template <std::convertible_to<Device> D> MapLocation(const D& device)
      : where_([device = Device(device)](const std::string&) { return std::optional(device); }) {}
  /// Some places to others, by name: `{{"cuda:1", "cuda:0"}}`. The rest stays.
  MapLocation(std::initializer_list<std::pair<std::string, Device>> places)
      : where_([places = std::vector(places)](const std::string& saved) -> std::optional<Device> {
          for (const auto& [from, to] : places)
            if (from == saved) return to;
          return {};
        }) {}
  /// What a function says of each place; nothing: where it was saved from.
  template <class F>
  requires(std::is_invocable_r_v<std::optional<Device>, F&, const std::string&> &&
           !std::convertible_to<F, Device>) MapLocation(F where)
      : where_(std::move(where)) {}

  /// None if nothing is said of it.
  std::optional<Device> operator()(const std::string& saved) const {
    return where_ ? where_(saved) : std::nullopt;
  }

 private:
  Function<std::optional<Device>(const std::string& saved)> where_;
};

}  // namespace taper
