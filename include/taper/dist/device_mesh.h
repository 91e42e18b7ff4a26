// DeviceMesh: ranks arranged in dimensions, with a group along each.
#pragma once
#include <vector>

#include "taper/core/api.h"
#include "taper/dist/process_group.h"

namespace TAPER_API taper {
namespace distributed {

/// Ranks in a grid of one or two dimensions, in row-major order. PyTorch:
/// torch.distributed.device_mesh.DeviceMesh.
class DeviceMesh {
 public:
  DeviceMesh() = default;
  DeviceMesh(std::vector<int> shape, std::vector<Group> groups)
      : shape_(std::move(shape)), groups_(std::move(groups)) {}

  const std::vector<int>& shape() const { return shape_; }
  std::size_t ndim() const { return shape_.size(); }
  /// Returns the group of the ranks that differ from the caller in dimension `dim` only.
  const Group& get_group(std::size_t dim) const { return groups_.at(dim); }

 private:
  std::vector<int> shape_;
  std::vector<Group> groups_;
};

/// Arranges the ranks of the default group. Collective. Throws ValueError unless there are one or
/// two dimensions whose product is the number of ranks. PyTorch:
/// torch.distributed.device_mesh.init_device_mesh.
DeviceMesh init_device_mesh(const std::vector<int>& mesh_shape);

}  // namespace distributed
}  // namespace taper
