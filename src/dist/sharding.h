// Sharding: how a parameter is divided among the ranks of a group.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/shape.h"
#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

/// Positions [begin, begin + size) of a dimension.
struct Piece {
  std::int64_t begin, size;
};
/// Returns the piece of a rank of `n` positions, divided as by chunk: ceil(n / ranks) for each
/// rank, fewer or none for the last ones.
Piece piece_of_rank(std::int64_t n, int ranks, int rank);
/// Returns the sizes of the pieces of all ranks.
std::vector<std::int64_t> piece_sizes(std::int64_t n, int ranks);

/// Returns the pieces of all ranks along `dim`, which have `sizes`, concatenated. Collective.
Tensor gather_pieces(const Tensor& mine, std::int64_t dim, const std::vector<std::int64_t>& sizes,
                     const Group& group);

/// Owner of the shardings of parallelize_module.
inline constexpr std::string_view kParallelOwner = "parallelize_module";

/// Division of a parameter, whose data are the piece of the rank along one dimension. The sharding
/// is found by the parameter as long as it exists.
class Sharding {
 public:
  /// Describes the division of `parameter`, whose data are still whole, and annotates it. `owner`
  /// is the function that divides it.
  static std::shared_ptr<const Sharding> create(const Tensor& parameter, std::string name,
                                                std::int64_t dim, const Group& group,
                                                std::string_view owner);
  Sharding(const Sharding&) = delete;
  Sharding& operator=(const Sharding&) = delete;

  const std::string& name() const { return name_; }
  std::string_view owner() const { return owner_; }
  const Shape& shape() const { return shape_; }  ///< of the whole parameter
  std::int64_t dim() const { return dim_; }
  const Group& group() const { return group_; }
  std::int64_t size() const { return shape_[static_cast<std::size_t>(dim_)]; }
  /// Returns the piece of the caller.
  Piece piece() const;
  Shape local_shape() const;
  /// Returns the piece of the caller of a tensor with the shape of the whole parameter.
  Tensor local(const Tensor& full) const;
  /// Returns the whole of a tensor that is divided like the parameter. Collective.
  Tensor gather(const Tensor& local) const;

 private:
  Sharding(const Tensor& parameter, std::string name, std::int64_t dim, const Group& group,
           std::string_view owner);

  std::string name_;
  Shape shape_;
  std::int64_t dim_;
  Group group_;
  std::string_view owner_;
};

/// Returns the sharding of a parameter, or of a tensor that is divided like one; null for other
/// tensors.
std::shared_ptr<const Sharding> find_sharding(const Tensor& tensor);
/// Throws ValueError if ranks of `group` have different parts of a parameter. `call` requires that
/// they have equal values.
void reject_division_in(const Group& group, const Tensor& parameter, std::string_view call);
/// Annotates a tensor that is divided like a parameter, such as one of a state dict. It retains the
/// sharding.
void set_sharding(const Tensor& tensor, std::shared_ptr<const Sharding> sharding);

}  // namespace taper::distributed
