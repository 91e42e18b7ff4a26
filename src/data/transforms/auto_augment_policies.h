// Policies of AutoAugment.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace taper::data::transforms {

/// One operation of a pair.
struct PolicyStep {
  const char* op;
  double probability;
  std::int64_t magnitude;  ///< index of 10; 0 if the operation does not have magnitudes
};

/// Returns the pairs of operations of a policy. Throws ValueError for an unknown name.
std::span<const std::array<PolicyStep, 2>, 25> find_policy(const std::string& name);

}  // namespace taper::data::transforms
