// CheckpointRanks: the ranks that save or load a checkpoint together.
#pragma once
#include "taper/core/shared_function.h"
#include "taper/core/value.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

class CheckpointRanks {
 public:
  /// `op` begins the messages of errors. Without a process group, the caller is alone.
  CheckpointRanks(const char* op, const Group& group);

  int rank() const { return group_ ? group_->rank() : 0; }
  int size() const { return group_ ? group_->size() : 1; }
  /// Runs a function on all ranks and returns their results, in rank order. If it throws on a rank,
  /// rethrows its error there, and throws RuntimeError on the others. Collective.
  Values run(const SharedFunction<Value()>& f) const;

 private:
  const char* op_;
  Group group_;
};

}  // namespace taper::distributed
