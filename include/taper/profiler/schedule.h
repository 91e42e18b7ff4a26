// Schedules of profiles: which steps of a loop are recorded.
#pragma once
#include <cstdint>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {
namespace profiler {

/// Kind of activity that a profile records. PyTorch: torch.profiler.ProfilerActivity.
enum class ProfilerActivity : std::uint8_t { cpu };
/// Returns the activities that this build can record. PyTorch: torch.profiler.supported_activities.
std::vector<ProfilerActivity> supported_activities();

/// Action of a profile in a step. PyTorch: torch.profiler.ProfilerAction.
enum class ProfilerAction : std::uint8_t {
  none,            ///< records nothing
  warmup,          ///< records, and discards the result
  record,          ///< records
  record_and_save  ///< records, and passes the result to on_trace_ready at the end of the step
};

/// Returns the action of a step, numbered from 0.
using ProfilerSchedule = SharedFunction<ProfilerAction(std::int64_t step)>;

/// Options of `schedule`, in steps. PyTorch: the arguments of torch.profiler.schedule.
struct ScheduleOptions {
  std::int64_t wait = 0;             ///< steps of a cycle that are not recorded
  std::int64_t warmup = 0;           ///< steps after them that are recorded and discarded
  std::int64_t active = 1;           ///< recorded steps after them
  std::int64_t repeat = 0;           ///< number of cycles; 0: no limit
  std::int64_t skip_first = 0;       ///< steps before the first cycle
  std::int64_t skip_first_wait = 0;  ///< nonzero: the first cycle does not wait
};
/// Returns a schedule of cycles of waiting, warm-up and active steps. Throws ValueError if `active`
/// is not positive or another number is negative. PyTorch: torch.profiler.schedule.
ProfilerSchedule schedule(const ScheduleOptions& options);

}  // namespace profiler
}  // namespace taper
