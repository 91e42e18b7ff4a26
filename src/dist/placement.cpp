#include "taper/dist/placement.h"

namespace taper::distributed {

std::string Placement::str() const {
  return dim_ ? "Shard(dim=" + std::to_string(*dim_) + ")" : "Replicate()";
}

}  // namespace taper::distributed
