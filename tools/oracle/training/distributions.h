// Distributions of the cases of family distributions.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "cases/case.h"
#include "taper/distributions/distributions.h"

namespace taper::oracle {

using Parameters = std::map<std::string, Tensor>;

/// Constructs a distribution from its class name, parameters by name and the plain option
/// `total_count`. Throws MalformedCase for an unknown name or parameter.
distributions::AnyDistribution make_distribution(const std::string& name,
                                                 const Parameters& parameters,
                                                 std::int64_t total_count, bool validate_args);

/// Calls that must be rejected, by their text in Python.
void run_distribution_errors(Case& c);

}  // namespace taper::oracle
