// Tensors in state dicts of optimizers that are divided like their parameters.
#pragma once
#include <vector>

#include "taper/core/value.h"
#include "taper/optim/optimizer.h"

namespace taper::distributed {

/// Returns the parameters of an optimizer in the order of their numbers.
std::vector<Tensor> numbered_params(const optim::Optimizer& optimizer);

/// Returns the state dict of the optimizer of `params` with whole tensors. Collective. If `keep` is
/// not set, the caller takes part, and the returned state has no entries.
Value gather_optimizer_tensors(const Value& state_dict, const std::vector<Tensor>& params,
                               bool keep);
/// Returns such a state dict with the parts of the caller of whole tensors.
Value divide_optimizer_tensors(const Value& state_dict, const std::vector<Tensor>& params);
/// Annotates the tensors of a state dict that are parts.
void mark_optimizer_tensors(const Value& state_dict, const std::vector<Tensor>& params);

}  // namespace taper::distributed
