#include "dist/zero_partition.h"

#include <algorithm>
#include <numeric>

#include "taper/core/dict.h"

namespace taper::distributed {

void ZeroPartition::add_group(const std::vector<Tensor>& params) {
  std::vector<std::size_t> order(params.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return params[a].numel() > params[b].numel();
  });
  for (auto& groups : owned_) groups.emplace_back();
  for (const std::size_t i : order) {
    const auto rank =
        static_cast<std::size_t>(std::min_element(loads_.begin(), loads_.end()) - loads_.begin());
    owned_[rank].back().push_back(i);
    loads_[rank] += params[i].numel();
  }
  groups_.push_back(params);
}

std::vector<Tensor> ZeroPartition::params(std::size_t rank) const {
  std::vector<Tensor> all;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const std::size_t i : owned_[rank][g]) all.push_back(groups_[g][i]);
  return all;
}

optim::ParamGroup ZeroPartition::local_group(std::size_t rank, std::size_t g,
                                             const optim::ParamGroup& like) const {
  std::vector<Tensor> params;
  for (const std::size_t i : owned_[rank][g]) params.push_back(groups_[g][i]);
  optim::ParamGroup group(std::move(params));
  for (const auto& [name, value] : like.options().as_dict())
    group.options().as_dict().set(name, value);
  return group;
}

}  // namespace taper::distributed
