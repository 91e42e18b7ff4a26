// Norms of tensors that are divided among ranks.
#pragma once
#include <span>

#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

/// Returns the norm of order `p` of the tensors of all ranks, viewed as one vector. Collective; a
/// rank may have no tensors.
Tensor norm_over_ranks(std::span<const Tensor> tensors, double p, const Group& group);

}  // namespace taper::distributed
