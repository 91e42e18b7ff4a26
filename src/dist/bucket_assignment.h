// Assignment of parameters to buckets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::distributed {

using BucketAssignment = std::vector<std::vector<std::size_t>>;

/// Assigns the tensors, in the given order, to one open bucket per owner and dtype, which is closed
/// when its bytes reach the limit. `owners` contains a number per tensor; if it is empty, all
/// tensors have the same owner. The n-th bucket of an owner and dtype has the n-th limit; the last
/// limit applies to all later ones. Closed buckets precede those that remain open, which are in the
/// order of their first tensor.
BucketAssignment assign_buckets(const std::vector<Tensor>& tensors,
                                const std::vector<std::size_t>& order,
                                const std::vector<std::int64_t>& limits,
                                const std::vector<int>& owners = {});

}  // namespace taper::distributed
