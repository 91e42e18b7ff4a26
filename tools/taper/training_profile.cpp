#include "training_profile.h"

#include <algorithm>
#include <fstream>

#include "taper/core/error.h"
#include "words.h"

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
  const std::string path = folder_ + "/profile.txt";
  std::ofstream out(path);
  out << profile.key_averages().table({.row_limit = 30}) << '\n'
      << profile.module_averages().table();
  if (!out.flush()) throw taper::IoError(printable(path) + ": cannot write the profile");
}

}  // namespace taper::cli
