// Numbers of references to a tensor and its storage.
#pragma once
#include <cstdint>

#include "taper/core/tensor.h"

namespace taper {

/// Returns the number of handles of the tensor, `t` included.
std::uint32_t count_handles(const Tensor& t);
/// Returns the number of tensors that share the storage of `t`, `t` included.
std::uint32_t count_tensors_of_storage(const Tensor& t);

}  // namespace taper
