#include "taper/nn/chain.h"

#include <array>

#include "core/never_destroyed.h"

namespace taper::nn {

std::string_view detail::chain_name(std::size_t i) {
  // The names are shared by all chains for the lifetime of the program.
  static const NeverDestroyed<std::array<std::string, 256>> names([] {
    std::array<std::string, 256> made;
    for (std::size_t n = 0; n < made.size(); ++n) made[n] = std::to_string(n);
    return made;
  }());
  return names->at(i);
}

}  // namespace taper::nn
