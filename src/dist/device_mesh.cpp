#include "taper/dist/device_mesh.h"

#include <functional>
#include <numeric>

#include "core/check.h"
#include "taper/core/shape.h"
#include "taper/dist/init.h"

namespace taper::distributed {

DeviceMesh init_device_mesh(const std::vector<int>& mesh_shape) {
  const int world = get_world_size(), rank = get_rank();
  const int count =
      std::accumulate(mesh_shape.begin(), mesh_shape.end(), 1, std::multiplies<int>());
  if (mesh_shape.empty() || mesh_shape.size() > 2 || count != world)
    fail<ValueError>(
        "init_device_mesh: expected one or two dimensions with {} ranks, got {} "
        "dimensions with {}",
        world, mesh_shape.size(), count);
  if (mesh_shape.size() == 1) return {mesh_shape, {default_group()}};
  std::vector<Group> groups(2);
  const int columns = mesh_shape[1];
  for (int column = 0; column < columns; ++column) {
    std::vector<int> members;
    for (int r = column; r < world; r += columns) members.push_back(r);
    const Group group = new_group(members);
    if (rank % columns == column) groups[0] = group;
  }
  for (int first = 0; first < world; first += columns) {
    std::vector<int> members(static_cast<std::size_t>(columns));
    std::iota(members.begin(), members.end(), first);
    const Group group = new_group(members);
    if (rank / columns * columns == first) groups[1] = group;
  }
  return {mesh_shape, groups};
}

}  // namespace taper::distributed
