// Search for the origin of a loss that is not finite.
#pragma once
#include <string>

#include "taper/core/shared_function.h"
#include "taper/nn/module_base.h"

namespace taper::train {

/// Calls `evaluate`, which calls `root`, and describes the first module with a result that is not
/// finite: "the first module with a result that is not finite is 'layers.2' (Linear): 3 of 128
/// elements; its parameter 'weight' is not finite". Without such a module, "the results of all
/// modules are finite". Modules outside of `root` are observed unless `only_in_root` is set. Ranks
/// that are threads must set it, since global hooks run for the modules of all threads.
std::string describe_first_non_finite(nn::Module& root, const SharedFunction<Tensor()>& evaluate,
                                      bool only_in_root);

/// Returns the name of the first parameter whose gradient is not finite; empty if there is none.
std::string find_non_finite_gradient(nn::Module& root);

}  // namespace taper::train
