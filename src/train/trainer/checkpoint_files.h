// CheckpointFiles: the checkpoints in the folder of a run.
#pragma once
#include <string>
#include <vector>

#include "taper/io/save.h"
#include "taper/train/trainer_options.h"
#include "train/trainer/run_state.h"

namespace taper::train {

class CheckpointFiles {
 public:
  /// Throws ValueError for invalid options.
  explicit CheckpointFiles(const CheckpointOptions& options);

  bool enabled() const { return !options_.folder.empty(); }
  std::string last_path() const { return path("last.pt"); }
  /// Returns the name of the file of a completed epoch.
  static std::string epoch_name(std::int64_t epoch);
  /// Returns true if a checkpoint is due after step number `step`.
  bool is_due(std::int64_t step) const;
  /// Inserts the file of an epoch into the best files of a run if it is one of the best. Returns
  /// the names of the files that are no longer among them.
  std::vector<std::string> rank(std::vector<BestFile>& best, std::int64_t epoch, double value,
                                MonitorMode mode) const;
  /// Writes `state` to the file `name` and to last.pt, after the previous checkpoints are written,
  /// and then removes the files `dropped`. Throws the errors of writing previous checkpoints.
  void save(const Value& state, const std::string& name = {},
            const std::vector<std::string>& dropped = {});
  /// Restarts the time until the next checkpoint, on a rank that does not write it.
  void restart_interval();
  /// Waits until all files are written. Throws the errors of writing them.
  void wait();

 private:
  std::string path(const std::string& name) const { return options_.folder + "/" + name; }
  void write(const Value& state, const std::string& name);
  void remove_dropped();

  CheckpointOptions options_;
  std::vector<SaveHandle> pending_;
  std::vector<std::string> dropped_;  // removed once the pending files are written
  double saved_at_;
};

}  // namespace taper::train
