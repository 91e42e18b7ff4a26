#include "taper/profiler/schedule.h"

#include "core/check.h"
#include "taper/core/warning.h"

namespace taper::profiler {

std::vector<ProfilerActivity> supported_activities() { return {ProfilerActivity::cpu}; }

ProfilerSchedule schedule(const ScheduleOptions& options) {
  const auto check = [](const char* name, std::int64_t value, std::int64_t min) {
    if (value < min)
      fail<ValueError>("profiler::schedule: {}: expected at least {}, got {}", name, min, value);
  };
  check("wait", options.wait, 0);
  check("warmup", options.warmup, 0);
  check("active", options.active, 1);
  check("repeat", options.repeat, 0);
  check("skip_first", options.skip_first, 0);
  check("skip_first_wait", options.skip_first_wait, 0);
  if (options.warmup == 0) warn("Profiler won't be using warmup, this can skew profiler results");
  return [options](std::int64_t step) {
    if (step < options.skip_first) return ProfilerAction::none;
    step -= options.skip_first;
    if (options.skip_first_wait != 0) step += options.wait;
    const std::int64_t cycle = options.wait + options.warmup + options.active;
    if (options.repeat > 0 && step / cycle >= options.repeat) return ProfilerAction::none;
    const std::int64_t at = step % cycle;
    if (at < options.wait) return ProfilerAction::none;
    if (at < options.wait + options.warmup) return ProfilerAction::warmup;
    return at < cycle - 1 ? ProfilerAction::record : ProfilerAction::record_and_save;
  };
}

}  // namespace taper::profiler
