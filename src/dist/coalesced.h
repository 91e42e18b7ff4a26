// Collectives on many tensors, with one call per dtype.
#pragma once
#include <vector>

#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

/// Copies the tensors of a rank of the group to those of the other ranks. Tensors may require
/// gradients.
void broadcast_coalesced(const std::vector<Tensor>& tensors, int group_rank, const Group& group);

/// Throws DistributedError on all ranks if the tensors differ in number, name, shape or dtype,
/// naming the first difference. `what` describes the tensors: "parameters".
void check_equal_on_ranks(const char* what, const std::vector<std::string>& names,
                          const std::vector<Tensor>& tensors, const Group& group);

}  // namespace taper::distributed
