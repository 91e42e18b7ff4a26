#include "taper/io/map_location.h"

#include <vector>

namespace taper {

MapLocation::MapLocation(std::initializer_list<std::pair<std::string, Device>> places)
    : where_([places = std::vector(places)](const std::string& saved) -> std::optional<Device> {
        for (const auto& [from, to] : places)
          if (from == saved) return to;
        return {};
      }) {}

}  // namespace taper
