// Multiply-adds of a forward pass by operation.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "taper/nn/module_base.h"

namespace taper::oracle {

/// Returns the multiply-adds of convolutions, linear layers and products of matrices in a call of
/// the model on meta, under the names of the operations of PyTorch's FlopCounterMode.
std::map<std::string, std::int64_t> count_multiply_adds(nn::Module& model, const Shape& input);

}  // namespace taper::oracle
