#include <filesystem>
#include <map>
#include <memory>
#include <optional>

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

/// Entry of a checkpoint.
struct Entry {
  std::optional<Shape> size{};         ///< of a tensor
  const EntryMetadata* distributed{};  ///< of a distributed checkpoint
  Value value{};                       ///< of other checkpoints
};

/// Entries of a checkpoint, of which elements are read when they are required.
class Entries {
 public:
  explicit Entries(const std::string& path) {
    namespace fs = std::filesystem;
    const fs::path metadata = fs::path(path) / io::kDcpMetadataFile;
    const bool is_whole =
        fs::is_regular_file(path) || (fs::is_directory(path) && !fs::exists(metadata));
    if (!is_whole) {
      reader_ = std::make_unique<io::DcpReader>(path, options_);
      return;
    }
    // Tensors are mapped, so that a rank reads the pages of its parts only.
    const Value whole = taper::load(path, options_);
    for (const StateItem& item : flatten_state_dict(whole, kLoad)) whole_[item.name] = item.value;
  }

  std::optional<Entry> find(const std::string& name) const {
    if (reader_) {
      const EntryMetadata* const entry = reader_->find(name);
      if (!entry) return {};
      return Entry{.size = entry->tensor ? std::optional(entry->tensor->size) : std::nullopt,
                   .distributed = entry};
    }
    const auto found = whole_.find(name);
    if (found == whole_.end()) return {};
    const Value& value = found->second;
    return Entry{
        .size = value.is_tensor() ? std::optional(value.as_tensor().shape()) : std::nullopt,
        .value = value};
  }
  Value read(const Entry& entry) const {
    return reader_ ? reader_->read(*entry.distributed) : entry.value;
  }
  Tensor read_part(const Entry& entry, const TensorPart& part) const {
    if (reader_) return reader_->read_tensor(*entry.distributed, part.offsets, part.sizes);
    Tensor elements = entry.value.as_tensor().detach();
    for (std::size_t dim = 0; dim < part.size.size(); ++dim)
      elements =
          elements.narrow(static_cast<std::int64_t>(dim), part.offsets[dim], part.sizes[dim]);
    return elements.clone();
  }

 private:
  LoadOptions options_{.map_location = Device::cpu()};
  std::unique_ptr<io::DcpReader> reader_{};
  std::map<std::string, Value> whole_{};
};

/// Returns the entry of an item. Throws if it cannot be loaded.
Entry entry_of(const StateItem& item, const Entries& entries) {
  const std::string name = io::escape_for_message(item.name);
  const std::optional<Entry> entry = entries.find(item.name);
  if (!entry) fail<KeyError>("{}: the checkpoint has no entry '{}'", kLoad, name);
  if (!entry->size) return *entry;
  if (!item.value.is_tensor())
    fail<TypeError>("{}: '{}' is a tensor in the checkpoint, got {}", kLoad, name,
                    item.value.type_name());
  const Shape size = part_of(item.value.as_tensor()).size;
  if (*entry->size != size)
    fail<ShapeError>("{}: '{}' has the shape {} in the checkpoint, expected {}", kLoad, name,
                     *entry->size, size);
  return *entry;
}

}  // namespace

void load(const Value& state_dict, const std::string& checkpoint_id,
          const CheckpointOptions& options) {
  const NoGrad no_grad;
  const CheckpointRanks ranks(kLoad, options.process_group);
  std::vector<StateItem> items;
  Values loaded;
  ranks.run([&] {
    items = flatten_state_dict(state_dict, kLoad);
    const Entries entries(checkpoint_id);
    std::vector<Entry> found;  // all are checked before one is read
    for (const StateItem& item : items) found.push_back(entry_of(item, entries));
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (found[i].size)
        loaded.push_back(entries.read_part(found[i], part_of(items[i].value.as_tensor())));
      else
        loaded.push_back(entries.read(found[i]));
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
