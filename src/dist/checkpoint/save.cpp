#include <map>

#include "core/check.h"
#include "dist/checkpoint/checkpoint_ranks.h"
#include "dist/checkpoint/save_plan.h"
#include "io/dcp/writer.h"
#include "taper/autograd/grad_mode.h"
#include "taper/dist/checkpoint.h"

namespace taper::distributed::checkpoint {
namespace {

constexpr const char* kSave = "checkpoint.save";

/// Writes the pieces of a rank. Returns their locations: [file, offset, length, ...].
Value write_pieces(const std::string& path, const std::string& name,
                   const std::vector<PlannedPiece>& pieces, const Metadata& metadata,
                   const std::vector<StateItem>& items) {
  std::map<std::string, const Value*> values;
  for (const StateItem& item : items) values[item.name] = &item.value;
  Value locations = Value::list();
  if (pieces.empty()) return locations;
  io::DcpPieceFile file(path);
  for (const PlannedPiece& piece : pieces) {
    const StorageInfo info = file.append(*values.at(metadata.entries[piece.entry].name));
    locations.append(Value::tuple({name, info.offset, info.length}));
  }
  file.commit();
  return locations;
}

}  // namespace

Metadata save(const Value& state_dict, const std::string& checkpoint_id,
              const CheckpointOptions& options) {
  const NoGrad no_grad;
  const CheckpointRanks ranks(kSave, options.process_group);
  const std::string folder = checkpoint_id.ends_with('/') ? checkpoint_id : checkpoint_id + "/";
  std::vector<StateItem> items;
  // All ranks use the number that rank 0 has found: it is not used in the folder.
  const Values descriptions = ranks.run([&] {
    items = flatten_state_dict(state_dict, kSave);
    const int number = ranks.rank() == 0 ? io::prepare_dcp_folder(folder) : 0;
    return Value::tuple({describe_items(items), number});
  });
  Values entries;
  for (const Value& description : descriptions) entries.push_back(description.as_tuple()[0]);
  CheckpointPlan plan = plan_checkpoint(entries);
  const Values written = ranks.run([&] {
    const std::string name =
        io::dcp_piece_name(ranks.rank(), static_cast<int>(descriptions[0].as_tuple()[1].as_int()));
    return write_pieces(folder + name, name, plan.pieces[static_cast<std::size_t>(ranks.rank())],
                        plan.metadata, items);
  });
  for (std::size_t rank = 0; rank < written.size(); ++rank) {
    const Values& locations = written[rank].as_list();
    for (std::size_t i = 0; i < locations.size(); ++i) {
      const PlannedPiece& piece = plan.pieces[rank][i];
      const Values& parts = locations[i].as_tuple();
      plan.metadata.entries[piece.entry].storage[piece.chunk] = {
          parts[0].as_string(), static_cast<std::uint64_t>(parts[1].as_int()),
          static_cast<std::uint64_t>(parts[2].as_int())};
    }
  }
  ranks.run([&] {
    if (ranks.rank() == 0) io::commit_dcp_metadata(folder, plan.metadata);
    return Value();
  });
  return std::move(plan.metadata);
}

}  // namespace taper::distributed::checkpoint
