// Entries of the state of a model.
#pragma once
#include <vector>

#include "taper/core/value.h"
#include "taper/nn/module_base.h"

namespace taper::oracle {

/// Returns `[key, dtype, shape, "parameter" or "buffer", hash of the bytes]` for each entry of the
/// state dict.
Value state_list(nn::Module& model);
/// Returns the tensors of the state dict, in order.
std::vector<Tensor> state_tensors(nn::Module& model);
/// Returns the names of the parameters, and those of the buffers.
Value parameter_names(const nn::Module& model);
Value buffer_names(const nn::Module& model);
/// Returns the number of elements of the parameters; a shared one is counted once.
std::int64_t count_parameters(const nn::Module& model);

}  // namespace taper::oracle
