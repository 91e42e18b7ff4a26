// Plan of a distributed checkpoint: the pieces and the ranks that write them.
#pragma once
#include <vector>

#include "dist/checkpoint/state_items.h"
#include "taper/io/distributed_checkpoint.h"

namespace taper::distributed {

/// Position of a piece in the metadata.
struct PlannedPiece {
  std::size_t entry, chunk;
};

struct CheckpointPlan {
  checkpoint::Metadata metadata{};                  ///< the locations of the pieces are empty
  std::vector<std::vector<PlannedPiece>> pieces{};  ///< by rank, in the order of writing
};

/// Returns the description of the entries of a rank, which is sent to the others.
Value describe_items(const std::vector<StateItem>& items);
/// Returns the plan for the descriptions of all ranks. Of equal pieces, one is written, by the rank
/// that has the fewest bytes to write. Throws ValueError for entries that differ between ranks.
CheckpointPlan plan_checkpoint(const Values& descriptions);

}  // namespace taper::distributed
