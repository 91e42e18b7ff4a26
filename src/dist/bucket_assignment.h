// Assignment of parameters to buckets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::distributed {

using BucketAssignment = std::vector<std::vector<std::size_t>>;

/// Assigns the tensors, in the given order, to one open bucket per dtype, which is closed when its
/// bytes reach the limit. The n-th bucket of a dtype has the n-th limit; the last limit applies to
/// all later ones. Closed buckets precede those that remain open, which are in the order of their
/// first tensor.
BucketAssignment assign_buckets(const std::vector<Tensor>& tensors,
                                const std::vector<std::size_t>& order,
                                const std::vector<std::int64_t>& limits);

}  // namespace taper::distributed
