#include "core/check.h"
#include "dist/checkpoint/checkpoint_ranks.h"
#include "dist/checkpoint/state_items.h"
#include "io/dcp/reader.h"
#include "io/text.h"
#include "taper/autograd/grad_mode.h"
#include "taper/dist/checkpoint.h"

namespace taper::distributed::checkpoint {
namespace {

constexpr const char* kLoad = "checkpoint.load";

/// Throws if an entry of the state dict cannot be loaded. Returns its metadata.
const EntryMetadata& entry_of(const StateItem& item, const io::DcpReader& reader) {
  const std::string name = io::escape_for_message(item.name);
  const EntryMetadata* const entry = reader.find(item.name);
  if (!entry) fail<KeyError>("{}: the checkpoint has no entry '{}'", kLoad, name);
  if (!entry->tensor) return *entry;
  if (!item.value.is_tensor())
    fail<TypeError>("{}: '{}' is a tensor in the checkpoint, got {}", kLoad, name,
                    item.value.type_name());
  const Shape size = part_of(item.value.as_tensor()).size;
  if (entry->tensor->size != size)
    fail<ShapeError>("{}: '{}' has the shape {} in the checkpoint, expected {}", kLoad, name,
                     entry->tensor->size, size);
  return *entry;
}

}  // namespace

void load(const Value& state_dict, const std::string& checkpoint_id,
          const CheckpointOptions& options) {
  const NoGrad no_grad;
  const CheckpointRanks ranks(kLoad, options.process_group);
  std::vector<StateItem> items;
  Values loaded;
  const LoadOptions load_options{.map_location = Device::cpu()};
  ranks.run([&] {
    items = flatten_state_dict(state_dict, kLoad);
    io::DcpReader reader(checkpoint_id, load_options);
    std::vector<const EntryMetadata*> entries;  // all are checked before one is read
    for (const StateItem& item : items) entries.push_back(&entry_of(item, reader));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const EntryMetadata& entry = *entries[i];
      if (!entry.tensor) {
        loaded.push_back(reader.read(entry));
        continue;
      }
      const TensorPart part = part_of(items[i].value.as_tensor());
      loaded.push_back(reader.read_tensor(entry, part.offsets, part.sizes));
    }
    return Value();
  });
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].value.is_tensor() && loaded[i].is_tensor())
      items[i].value.as_tensor().copy_(loaded[i].as_tensor());
    else
      items[i].replace(loaded[i]);
  }
}

}  // namespace taper::distributed::checkpoint
