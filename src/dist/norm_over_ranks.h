// Norms of tensors that are divided among ranks.
#pragma once
#include <span>

#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

/// Returns the norm of order `p` of the tensors of all ranks, as get_total_norm computes it: for
/// p = 0, the number of tensors that are not zero. Collective; a rank may have no tensors.
Tensor norm_over_ranks(std::span<const Tensor> tensors, double p, const Group& group);

/// As norm_over_ranks, for tensors of which each rank has a part: element i of `parts` belongs to
/// the same tensor on all ranks.
Tensor norm_of_parts(std::span<const Tensor> parts, double p, const Group& group);

}  // namespace taper::distributed
