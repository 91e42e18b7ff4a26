// Profile: times, arithmetic and memory of ops, modules and regions of code.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/profiler/event.h"
#include "taper/profiler/record_function.h"
#include "taper/profiler/schedule.h"

namespace TAPER_API taper {
namespace profiler {

class Profile;
using TraceHandler = SharedFunction<void(Profile& profile)>;

/// Options of Profile. PyTorch: the arguments of torch.profiler.profile.
struct ProfileOptions {
  /// Steps that are recorded; by default all.
  ProfilerSchedule schedule{};
  /// Called when a recording is complete: at the end of a step with
  /// ProfilerAction::record_and_save, and by `stop`.
  TraceHandler on_trace_ready{};
  bool record_shapes = false;   ///< records the shapes of the inputs of ops
  bool profile_memory = false;  ///< records allocated and released memory
  bool with_flops = true;       ///< computes floating-point operations and bytes of ops
  bool with_modules = true;     ///< records calls of modules
};

/// Records what the current thread and the workers of data loaders execute, from construction until
/// `stop` or destruction: ops, nodes of backward passes, calls of modules with their paths, steps
/// of optimizers, and regions named by RecordFunction.
///
///     profiler::Profile profile;
///     auto loss = F::cross_entropy(net(x), y);
///     loss.backward();
///     profile.stop();
///     std::cout << profile.key_averages().table({.row_limit = 10});
///     std::cout << profile.module_averages().table();
///     profile.export_chrome_trace("trace.json");
///
/// In a loop, `step` marks the end of a step, and a schedule selects the steps that are recorded:
///
///     profiler::Profile profile(
///         {.schedule = profiler::schedule({.wait = 1, .warmup = 1, .active = 3}),
///          .on_trace_ready = profiler::tensorboard_trace_handler("log")});
///     for (auto& batch : loader) {
///       train(batch);
///       profile.step();
///     }
///
/// While a profile records, calls of modules take the path of calls with hooks, and each event
/// costs about 0.2 microseconds. Events of a recording that are still open when it ends are
/// omitted.
///
/// PyTorch: torch.profiler.profile.
class Profile {
 public:
  [[nodiscard]] explicit Profile(ProfileOptions options = {});
  /// Ends the recording without calling `on_trace_ready`.
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Starts again after `stop`, at step 0. Events are discarded. Throws RuntimeError if the profile
  /// is running.
  void start();
  /// Ends the recording and calls `on_trace_ready` if events were recorded. Does nothing if the
  /// profile is not running. Throws RuntimeError if another thread started it.
  void stop();
  /// Marks the end of a step. Throws RuntimeError if the profile is not running, or if another
  /// thread started it.
  void step();
  /// Returns the number of completed steps.
  std::int64_t step_num() const;

  /// Returns the events of the last complete recording, ordered by thread and start. This and the
  /// functions below throw RuntimeError while the recording is incomplete.
  const std::vector<ProfilerEvent>& events() const;
  /// Returns the names of the threads of `events`.
  const std::vector<std::string>& threads() const;
  /// Returns sums over the events of each name, or of each name and shapes of inputs. Module calls
  /// are included with their class as the name, and steps of the profile as "ProfilerStep*".
  EventAverages key_averages(bool group_by_input_shape = false) const;
  /// Returns sums over the calls of each module.
  ModuleAverages module_averages() const;

  /// Writes the events in the format of chrome://tracing and Perfetto. Throws IoError with the path
  /// if that fails.
  void export_chrome_trace(const std::string& path) const;
  /// Writes a line "outer;...;inner time" for each stack of nested events, the input of flame
  /// graphs. `metric` is "self_cpu_time_total", in microseconds. Throws ValueError for another
  /// metric, IoError with the path if the file cannot be written.
  void export_stacks(const std::string& path,
                     const std::string& metric = "self_cpu_time_total") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns a handler that writes a Chrome trace for TensorBoard to
/// `folder`/`worker`.`milliseconds`.pt.trace.json. `worker` is the host and the process by default.
/// PyTorch: torch.profiler.tensorboard_trace_handler.
TraceHandler tensorboard_trace_handler(const std::string& folder, const std::string& worker = "");

}  // namespace profiler
}  // namespace taper
