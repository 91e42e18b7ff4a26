// Batches that are values.
#include "taper/train/detail/batches.h"

#include "taper/core/dict.h"
#include "taper/ops/copy.h"

namespace taper::train::detail {

Value moved_to(const Value& batch, Device device) {
  if (batch.is_tensor()) return batch.as_tensor().to(device);
  if (batch.is_list() || batch.is_tuple()) {
    Values items;
    for (const Value& item : batch.as_sequence()) items.push_back(moved_to(item, device));
    return batch.with_items(std::move(items));
  }
  if (!batch.is_dict()) return batch;
  Value copy = batch.as_dict().copy();
  for (const auto& [key, item] : batch.as_dict()) copy.as_dict().set(key, moved_to(item, device));
  return copy;
}

std::optional<std::int64_t> find_sample_count(const Value& batch) {
  if (batch.is_tensor()) return batch.as_tensor().dim() > 0 ? batch.as_tensor().size(0) : 1;
  std::optional<std::int64_t> count;
  if (batch.is_list() || batch.is_tuple())
    for (const Value& item : batch.as_sequence())
      if (!count) count = find_sample_count(item);
  if (batch.is_dict())
    for (const auto& [key, item] : batch.as_dict())
      if (!count) count = find_sample_count(item);
  return count;
}

}  // namespace taper::train::detail
