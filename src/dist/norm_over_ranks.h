// Norms of tensors that are divided among ranks.
#pragma once
#include <span>
#include <vector>

#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"
#include "taper/nn/utils/clip_grad.h"

namespace taper::distributed {

/// Returns the norm of order `p` of the tensors of all ranks, as get_total_norm computes it: for
/// p = 0, the number of tensors that are not zero. Collective; a rank may have no tensors.
Tensor norm_over_ranks(std::span<const Tensor> tensors, double p, const Group& group);

/// As norm_over_ranks, for tensors of which each rank has a part: element i of `parts` belongs to
/// the same tensor on all ranks.
Tensor norm_of_parts(std::span<const Tensor> parts, double p, const Group& group);

/// Returns norms of the whole gradients of parameters, which may be divided among ranks: of all
/// that are not divided, and of those that are divided among the ranks of each group. Collective.
std::vector<Tensor> norms_of_gradients(const std::vector<Tensor>& params, double p);
/// Returns the norm of which `norms` are the norms of parts.
Tensor total_norm(const std::vector<Tensor>& norms, const nn::utils::ClipOptions& options);

}  // namespace taper::distributed
