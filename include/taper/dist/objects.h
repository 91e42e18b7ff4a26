// Collectives on nested values: numbers, strings, tensors and containers.
#pragma once
#include "taper/core/api.h"
#include "taper/core/value.h"
#include "taper/dist/process_group.h"

namespace TAPER_API taper {
namespace distributed {

// Values are sent as the bytes of a checkpoint, so that each rank receives its own copy. The
// functions throw the errors of `save_to_bytes` and of collectives. On a rank outside the group
// they warn and return an empty list or None.

/// Returns `object` of all ranks, in rank order. PyTorch: torch.distributed.all_gather_object.
Values all_gather_object(const Value& object, const Group& group = nullptr);
/// Returns `object` of all ranks on the global rank `dst`, an empty list on other ranks.
/// PyTorch: torch.distributed.gather_object.
Values gather_object(const Value& object, int dst, const Group& group = nullptr);
/// Replaces the list, which has the same length on all ranks, by that of the global rank `src`.
/// Throws ValueError on other ranks if the length differs.
/// PyTorch: torch.distributed.broadcast_object_list.
void broadcast_object_list(Values& object_list, int src, const Group& group = nullptr);
/// Returns the item of `input_list` of the global rank `src` with the index of the caller. Lists of
/// other ranks are ignored. Throws ValueError on `src` if the list does not have one item per rank.
/// PyTorch: torch.distributed.scatter_object_list.
Value scatter_object_list(const Values& input_list, int src, const Group& group = nullptr);

}  // namespace distributed
}  // namespace taper
