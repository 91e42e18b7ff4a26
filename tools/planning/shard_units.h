// Division of a network into the units of fully_shard.
#pragma once
#include <string>
#include <vector>

#include "taper/nn/module_base.h"

namespace planning {

/// Module that fully_shard divides, with the parameters that no earlier unit has.
struct UnitModule {
  std::string path;
  taper::nn::Module* module;
  std::vector<taper::Tensor> parameters;
};

/// Returns the network itself, with the parameters of no other unit, followed by the units below
/// it in the order of the module. These are the outermost modules whose path matches one of
/// `patterns` (see taper::glob_matches); if there are no patterns, the modules of Sequential,
/// ModuleList and ModuleDict. Modules without parameters are not units. Throws ValueError for a
/// pattern that matches none.
std::vector<UnitModule> find_units(taper::nn::Module& root,
                                   const std::vector<std::string>& patterns = {});

/// Applies fully_shard to the units, to the network last.
void shard_units(const std::vector<UnitModule>& units);
/// Lets each unit gather the parameters of the next one in forward, in the given order of indices
/// of `units`.
void prefetch_units(const std::vector<UnitModule>& units, const std::vector<std::size_t>& order);

}  // namespace planning
