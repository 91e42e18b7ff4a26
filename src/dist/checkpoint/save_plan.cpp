#include "dist/checkpoint/save_plan.h"

#include <algorithm>
#include <map>

#include "core/check.h"
#include "io/text.h"
#include "taper/core/dict.h"

namespace taper::distributed {
namespace {

using checkpoint::EntryMetadata;
using checkpoint::TensorStorageMetadata;

/// A piece and the ranks that have it.
struct SharedPiece {
  PlannedPiece position;
  std::uint64_t bytes;
  std::vector<std::size_t> ranks;
};

class PlanBuilder {
 public:
  explicit PlanBuilder(std::size_t ranks) { plan_.pieces.resize(ranks); }

  void add(std::size_t rank, const Value& description) {
    const Values& parts = description.as_tuple();
    const std::string& name = parts[0].as_string();
    const auto [it, is_new] = entries_.try_emplace(name, plan_.metadata.entries.size());
    if (is_new) plan_.metadata.entries.push_back({.name = name, .path = parts[1].as_tuple()});
    if (is_new) first_ranks_.push_back(rank);
    EntryMetadata& entry = plan_.metadata.entries[it->second];
    const bool is_tensor = parts.size() > 2;
    if (!is_new && is_tensor != entry.tensor.has_value())
      fail<ValueError>("checkpoint.save: '{}' is a tensor on rank {} only",
                       io::escape_for_message(name), is_tensor ? rank : first_ranks_[it->second]);
    if (!is_tensor) return add_piece(rank, it->second, 0, 0);
    const DType dtype = parts[2].as_dtype();
    const Shape size = parts[3].as_size(), offsets = parts[4].as_size(), sizes = parts[5].as_size();
    if (is_new) entry.tensor = TensorStorageMetadata{std::string(name_of(dtype)), dtype, size, {}};
    TensorStorageMetadata& tensor = *entry.tensor;
    if (tensor.dtype != dtype || tensor.size != size)
      fail<ValueError>(
          "checkpoint.save: '{}' is {} {} on rank {}, but {} {} on rank {}. Divided tensors are "
          "recognized in the results of get_model_state_dict and get_optimizer_state_dict",
          io::escape_for_message(name), *tensor.dtype, tensor.size, first_ranks_[it->second], dtype,
          size, rank);
    std::size_t chunk = 0;
    while (chunk < tensor.chunks.size() && tensor.chunks[chunk].offsets != offsets) ++chunk;
    if (chunk == tensor.chunks.size()) tensor.chunks.push_back({offsets, sizes});
    if (tensor.chunks[chunk].sizes != sizes)
      fail<ValueError>("checkpoint.save: ranks have parts {} and {} of '{}' at {}",
                       tensor.chunks[chunk].sizes, sizes, io::escape_for_message(name), offsets);
    add_piece(rank, it->second, chunk, static_cast<std::uint64_t>(sizes.numel()) * size_of(dtype));
  }

  CheckpointPlan finish() {
    std::vector<std::uint64_t> loads(plan_.pieces.size());
    for (SharedPiece& piece : pieces_) {
      const std::size_t rank =
          *std::min_element(piece.ranks.begin(), piece.ranks.end(),
                            [&](std::size_t a, std::size_t b) { return loads[a] < loads[b]; });
      loads[rank] += std::max<std::uint64_t>(piece.bytes, 1);
      plan_.pieces[rank].push_back(piece.position);
    }
    for (EntryMetadata& entry : plan_.metadata.entries)
      entry.storage.resize(entry.tensor ? entry.tensor->chunks.size() : 1);
    return std::move(plan_);
  }

 private:
  void add_piece(std::size_t rank, std::size_t entry, std::size_t chunk, std::uint64_t bytes) {
    const auto [it, is_new] = index_.try_emplace({entry, chunk}, pieces_.size());
    if (is_new) pieces_.push_back({{entry, chunk}, bytes, {}});
    pieces_[it->second].ranks.push_back(rank);
  }

  CheckpointPlan plan_;
  std::map<std::string, std::size_t> entries_;
  std::vector<std::size_t> first_ranks_;  // by entry
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> index_;
  std::vector<SharedPiece> pieces_;
};

}  // namespace

Value describe_items(const std::vector<StateItem>& items) {
  Value descriptions = Value::list();
  for (const StateItem& item : items) {
    Values parts = {item.name, Value::tuple(item.path)};
    if (item.value.is_tensor()) {
      const TensorPart part = part_of(item.value.as_tensor());
      parts.insert(parts.end(),
                   {item.value.as_tensor().dtype(), part.size, part.offsets, part.sizes});
    }
    descriptions.append(Value::tuple(std::move(parts)));
  }
  return descriptions;
}

CheckpointPlan plan_checkpoint(const Values& descriptions) {
  PlanBuilder builder(descriptions.size());
  for (std::size_t rank = 0; rank < descriptions.size(); ++rank)
    for (const Value& description : descriptions[rank].as_list()) builder.add(rank, description);
  return builder.finish();
}

}  // namespace taper::distributed
