// Assignment of the parameters of an optimizer to ranks.
#pragma once
#include <vector>

#include "taper/optim/param_group.h"

namespace taper::distributed {

/// Assignment of parameters to ranks, extended by one parameter group at a time.
class ZeroPartition {
 public:
  explicit ZeroPartition(int ranks)
      : loads_(static_cast<std::size_t>(ranks)), owned_(static_cast<std::size_t>(ranks)) {}

  /// Assigns the parameters of the next group.
  void add_group(const std::vector<Tensor>& params);
  std::size_t num_groups() const { return groups_.size(); }
  /// Returns the positions in group `g` of the parameters of a rank, in the order of its optimizer.
  const std::vector<std::size_t>& positions(std::size_t rank, std::size_t g) const {
    return owned_[rank][g];
  }
  /// Returns the parameters of a rank, group by group.
  std::vector<Tensor> params(std::size_t rank) const;
  /// Returns the parameters of a rank in group `g`, with the options of `like`.
  optim::ParamGroup local_group(std::size_t rank, std::size_t g,
                                const optim::ParamGroup& like) const;

 private:
  std::vector<std::int64_t> loads_;  ///< per rank: number of elements
  std::vector<std::vector<Tensor>> groups_;
  std::vector<std::vector<std::vector<std::size_t>>> owned_;  ///< [rank][group]
};

}  // namespace taper::distributed
