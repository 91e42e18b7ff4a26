// Placement: how a tensor is divided among the ranks of a group.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {
namespace distributed {

/// Layout of a tensor over the ranks of a group: Replicate() or Shard(dim).
/// PyTorch: torch.distributed.tensor.Placement.
class Placement {
 public:
  bool is_replicate() const { return !dim_; }
  bool is_shard() const { return dim_.has_value(); }
  /// Returns the dimension of a Shard, which may be negative.
  std::int64_t dim() const { return dim_.value_or(0); }
  bool operator==(const Placement&) const = default;
  /// Returns Python's printed form: "Replicate()", "Shard(dim=0)".
  std::string str() const;

 protected:
  explicit Placement(std::optional<std::int64_t> dim) : dim_(dim) {}

 private:
  std::optional<std::int64_t> dim_;
};

/// Every rank has the whole tensor. PyTorch: torch.distributed.tensor.Replicate.
struct Replicate : Placement {
  Replicate() : Placement(std::nullopt) {}
};

/// Rank r has piece r along a dimension, cut as by chunk: ceil(n / ranks) positions, fewer or none
/// on the last ranks. A negative dimension counts from the end.
/// PyTorch: torch.distributed.tensor.Shard.
struct Shard : Placement {
  explicit Shard(IntArg dim) : Placement(std::optional<std::int64_t>(dim)) {}
};

}  // namespace distributed
}  // namespace taper
