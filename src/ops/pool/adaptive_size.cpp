#include <utility>

#include "taper/ops/pool.h"

namespace taper {

AdaptiveSize::AdaptiveSize(std::int64_t size) : sizes_{size} {}
AdaptiveSize::AdaptiveSize(std::nullopt_t) : sizes_{std::nullopt} {}
AdaptiveSize::AdaptiveSize(std::initializer_list<std::optional<IntArg>> sizes)
    : sizes_(sizes.begin(), sizes.end()) {}
AdaptiveSize::AdaptiveSize(std::vector<std::optional<std::int64_t>> sizes)
    : sizes_(std::move(sizes)) {}
AdaptiveSize::AdaptiveSize(const Shape& sizes) : sizes_(sizes.begin(), sizes.end()) {}

}  // namespace taper
