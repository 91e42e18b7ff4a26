#include "training_profile.h"

#include <algorithm>

#include "text_file.h"

namespace taper::cli {

TrainingProfile::TrainingProfile(const training::Run& run, std::string folder)
    : folder_(std::move(folder)) {
  constexpr std::int64_t kWarmup = 2, kActive = 10;
  const std::int64_t steps = run.batches_per_epoch() * run.settings().epochs;
  const std::int64_t active = std::clamp<std::int64_t>(steps - kWarmup, 1, kActive);
  profile_.emplace(taper::profiler::ProfileOptions{
      .schedule = taper::profiler::schedule({.warmup = kWarmup, .active = active, .repeat = 1}),
      .on_trace_ready = [this](taper::profiler::Profile& p) { write(p); },
      .profile_memory = true});
}

void TrainingProfile::write(const taper::profiler::Profile& profile) const {
  profile.export_chrome_trace(folder_ + "/trace.json");
  write_text(
      folder_ + "/profile.txt",
      profile.key_averages().table({.row_limit = 30}) + '\n' + profile.module_averages().table(),
      "profile");
}

}  // namespace taper::cli
