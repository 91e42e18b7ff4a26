// Tensors of a .safetensors file, read as a whole.
#pragma once
#include <map>
#include <string>

#include "taper/core/tensor.h"

namespace taper::oracle {

/// All tensors by key. Throws BadCase for a file that is none.
std::map<std::string, Tensor> read_safetensors(const std::string& path);

}  // namespace taper::oracle
