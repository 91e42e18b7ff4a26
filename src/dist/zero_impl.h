// ZeroRedundancyOptimizer::Impl: the partition and the optimizer of a rank.
#pragma once
#include <memory>
#include <vector>

#include "dist/coalesced.h"
#include "dist/zero_partition.h"
#include "taper/core/dict.h"
#include "taper/dist/zero_redundancy_optimizer.h"

namespace taper::distributed {

inline std::size_t as_index(int rank) { return static_cast<std::size_t>(rank); }

/// Copies the options of groups, such as learning rates that a scheduler has set.
inline void copy_options(const std::vector<optim::ParamGroup>& from,
                         const std::vector<optim::ParamGroup>& to) {
  for (std::size_t g = 0; g < from.size(); ++g)
    for (const auto& [name, value] : from[g].options().as_dict())
      to[g].options().as_dict().set(name, value);
}

/// Calls `f(group, position, local_id)` for the parameters of a rank, whose optimizer numbers them
/// consecutively.
template <class F> void for_each_owned(const ZeroPartition& partition, std::size_t rank, F&& f) {
  std::int64_t id = 0;
  for (std::size_t g = 0; g < partition.num_groups(); ++g)
    for (const std::size_t i : partition.positions(rank, g)) f(g, i, id++);
}

struct ZeroRedundancyOptimizer::Impl {
  Group group;
  ZeroPartition partition;
  std::unique_ptr<optim::Optimizer> local;
  bool is_consolidated = false;
  bool uses_buckets = false;
  bool shards_gradients = false;
  Announce announce{};  ///< within DistributedDataParallel::join
  /// Per rank: contiguous memory of the parameters by dtype, if they are views of it.
  std::vector<std::vector<Tensor>> buckets{};

  std::size_t rank() const { return as_index(group->rank()); }
  std::size_t size() const { return as_index(group->size()); }

  /// Assigns groups that were added to the optimizer.
  void follow(const std::vector<optim::ParamGroup>& groups) {
    if (partition.num_groups() == groups.size()) return;
    while (partition.num_groups() < groups.size()) {
      const std::size_t g = partition.num_groups();
      partition.add_group(groups[g].params());
      local->add_param_group(partition.local_group(rank(), g, groups[g]));
    }
    if (uses_buckets) build_buckets();
  }

  /// Makes the parameters of each rank views of contiguous memory.
  void build_buckets();

  void send_params() {
    for (std::size_t r = 0; r < size(); ++r) {
      const int source = static_cast<int>(r);
      if (!uses_buckets)
        broadcast_coalesced(partition.params(r), source, group);
      else
        for (const Tensor& bucket : buckets[r]) broadcast_coalesced({bucket}, source, group);
    }
  }
};

}  // namespace taper::distributed
