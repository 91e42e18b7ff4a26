// Differentiable conversions between layouts of tensors that are divided among ranks.
//
// The gradient of a whole tensor is whole on every rank, that of a part is the part of the
// gradient, and that of a sum over ranks is the same on every rank.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dist/tensor_parallel/shared_argument.h"
#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"
#include "taper/dist/tensor_parallel.h"

namespace taper::distributed {

/// Sizes of the parts of all ranks along a dimension.
struct Parts {
  std::int64_t dim = 0;
  std::vector<std::int64_t> sizes{};
};

/// Returns `x` itself, of which each rank computes a part of the result; the gradient is summed
/// over ranks.
Tensor enter_parallel(const Tensor& x, const Group& group);
/// Returns the sum of `x` over ranks.
Tensor sum_over_ranks(const Tensor& x, const Group& group);
/// Returns the parts of all ranks, concatenated.
Tensor gather_parts(const Tensor& x, const Parts& parts, const Group& group);
/// As gather_parts followed by enter_parallel, with one collective in either direction.
Tensor gather_and_enter(const Tensor& x, const Parts& parts, const Group& group);
/// Returns the part of the caller.
Tensor own_part(const Tensor& x, const Parts& parts, const Group& group);
/// Returns the part of the caller of the sum over ranks.
Tensor own_part_of_sum(const Tensor& x, const Parts& parts, const Group& group);

/// Where a conversion occurs.
struct LayoutContext {
  std::string where{};  ///< beginning of messages: "ColwiseParallel: module 'fc1'"
  Group group{};
  std::shared_ptr<SharedArgument> shared{};  ///< null if the argument is that of this layer alone
  std::shared_ptr<const void> owned{};       ///< what exists as long as the hooks of the module
  /// Returns dimension `d` of `x` as a nonnegative number. Throws IndexError that names the module.
  std::int64_t checked_dim(const Tensor& x, std::int64_t d) const;
};

/// Returns the parts of a whole tensor along a dimension, as chunk divides it.
Parts parts_of(const Tensor& whole, std::int64_t dim, const LayoutContext& at);
/// Returns the `size` that each rank passes. Collective.
std::vector<std::int64_t> exchange_sizes(std::int64_t size, const Group& group);
/// Returns the sizes of the parts `x` that all ranks have. Collective.
Parts exchange_parts(const Tensor& x, std::int64_t dim, const LayoutContext& at);

/// Converts a tensor from one layout to another.
Tensor redistribute(const Tensor& x, const Placement& from, const Placement& to,
                    const LayoutContext& at);
/// Returns the sum over ranks in the given layout.
Tensor reduce_to(const Tensor& partial, const Placement& to, const LayoutContext& at);

}  // namespace taper::distributed
