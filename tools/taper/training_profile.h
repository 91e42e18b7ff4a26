// TrainingProfile: profile of some steps of a run.
#pragma once
#include <optional>
#include <string>

#include "run.h"
#include "taper/profiler/profiler.h"

namespace taper::cli {

/// Records steps 3 to 12 of a run, and writes their trace and tables into its folder.
class TrainingProfile {
 public:
  TrainingProfile(const training::Run& run, std::string folder);
  /// Marks the end of a step, and of the run.
  void step() { profile_->step(); }
  void stop() { profile_->stop(); }

 private:
  void write(const taper::profiler::Profile& profile) const;

  std::string folder_;
  std::optional<taper::profiler::Profile> profile_;
};

}  // namespace taper::cli
