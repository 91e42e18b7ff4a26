#include "target.h"

namespace taper::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"pickle", pickle}, {"zip", zip},
                                          {"legacy", legacy}, {"safetensors", safetensors},
                                          {"npz", npz},       {"load", load},
                                          {"module", module}, {"round_trip", round_trip},
                                          {"image", image},   {"csv", csv},
                                          {"tar", tar},       {"event", event},
                                          {"op", op},         {"distributed", distributed}};
  return all;
}

}  // namespace taper::fuzz
