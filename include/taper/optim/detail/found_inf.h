// Results of GradScaler for gradients that are divided among ranks.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace amp::detail {

/// Returns true if a gradient of the optimizer is inf or NaN on any rank that has a part of its
/// gradients; empty if no such rank has a gradient. `own` is the result of this rank. Collective if
/// the gradients are divided.
using FoundInfReduction = std::optional<bool> (*)(const optim::Optimizer& optimizer,
                                                  std::optional<bool> own);
/// Sets the function, which is null until process groups are initialized.
void set_found_inf_reduction(FoundInfReduction reduction) noexcept;

}  // namespace amp::detail
}  // namespace taper
