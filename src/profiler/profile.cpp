#include "taper/profiler/profiler.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "io/append_file.h"
#include "io/host_name.h"
#include "profiler/events.h"
#include "taper/autograd/grad_mode.h"

namespace taper::profiler {
namespace {

/// A recording in progress.
class ActiveRecording {
 public:
  explicit ActiveRecording(const ProfileOptions& options)
      : options_(options),
        recorders_(std::make_shared<Recorders>(options)),
        recorder_(recorders_->recorder_of("main")) {
    if (options.with_modules) module_calls_.emplace();
    add_observer(*recorder_);
    add_thread_observers(recorders_);
  }
  ~ActiveRecording() { end(); }
  ActiveRecording(const ActiveRecording&) = delete;
  ActiveRecording& operator=(const ActiveRecording&) = delete;

  void restart() {
    start_ = Clock::now();  // before the new start of open events
    recorders_->discard();
  }
  Recording finish() {
    end();
    return make_recording(recorders_->take(), start_, options_.profile_memory);
  }

 private:
  void end() {
    if (std::exchange(is_ended_, true)) return;
    remove_thread_observers(*recorders_);
    if (remove_observer(*recorder_)) return;
    // Another thread destroys the profile: the recorder stays active, without effect.
    recorders_->take();
    static std::mutex mutex;
    static NeverDestroyed<std::vector<std::shared_ptr<Recorder>>> retained;
    const std::lock_guard lock(mutex);
    retained->push_back(recorder_);
  }

  const ProfileOptions& options_;
  std::shared_ptr<Recorders> recorders_;
  std::shared_ptr<Recorder> recorder_;
  std::optional<taper::detail::SlowPathScope> module_calls_;
  Clock::time_point start_ = Clock::now();
  bool is_ended_ = false;
};

}  // namespace

struct Profile::Impl {
  void begin_step() {
    action = options.schedule ? options.schedule(step) : ProfilerAction::record;
    if (action != ProfilerAction::none && !active) active.emplace(options);
    if (options.schedule && action != ProfilerAction::none)
      step_region.emplace("ProfilerStep#" + std::to_string(step));
  }
  /// Ends the step. Returns true if a recording is complete.
  bool end_step(bool is_last) {
    step_region.reset();
    const bool is_recorded =
        action == ProfilerAction::record || action == ProfilerAction::record_and_save;
    if (active && is_recorded && (is_last || action == ProfilerAction::record_and_save)) {
      recording = active->finish();
      active.reset();
      return true;
    }
    if (is_last) active.reset();
    return false;
  }
  void check_thread(const char* function) const {
    if (owner != std::this_thread::get_id())
      fail<RuntimeError>("Profile::{}: expected the thread that started the profile", function);
  }
  const Recording& complete(const char* function) const {
    if (!recording)
      fail<RuntimeError>("Profile::{}: the recording is incomplete; call stop() first", function);
    return *recording;
  }

  ProfileOptions options;
  std::thread::id owner{};
  bool is_running = false;
  std::int64_t step = 0;
  ProfilerAction action = ProfilerAction::none;
  std::optional<ActiveRecording> active{};
  std::optional<RecordFunction> step_region{};
  std::optional<Recording> recording{};
};

Profile::Profile(ProfileOptions options) : impl_(new Impl{.options = std::move(options)}) {
  start();
}
Profile::~Profile() = default;

void Profile::start() {
  if (impl_->is_running) fail<RuntimeError>("Profile::start: the profile is running");
  impl_->owner = std::this_thread::get_id();
  impl_->step = 0;
  impl_->recording.reset();
  impl_->is_running = true;
  impl_->begin_step();
}

void Profile::stop() {
  if (!impl_->is_running) return;
  impl_->check_thread("stop");
  impl_->is_running = false;
  if (impl_->end_step(true) && impl_->options.on_trace_ready) impl_->options.on_trace_ready(*this);
}

void Profile::step() {
  if (!impl_->is_running) fail<RuntimeError>("Profile::step: the profile is not running");
  impl_->check_thread("step");
  const bool is_warm = impl_->action == ProfilerAction::warmup;
  if (impl_->end_step(false) && impl_->options.on_trace_ready) impl_->options.on_trace_ready(*this);
  impl_->step += 1;
  impl_->begin_step();
  if (is_warm && impl_->active && impl_->action != ProfilerAction::warmup) impl_->active->restart();
}

std::int64_t Profile::step_num() const { return impl_->step; }

const std::vector<ProfilerEvent>& Profile::events() const {
  return impl_->complete("events").events;
}
const std::vector<std::string>& Profile::threads() const {
  return impl_->complete("threads").threads;
}
EventAverages Profile::key_averages(bool group_by_input_shape) const {
  return average_by_name(impl_->complete("key_averages"), group_by_input_shape);
}
ModuleAverages Profile::module_averages() const {
  return average_by_module(impl_->complete("module_averages"));
}

void Profile::export_chrome_trace(const std::string& path) const {
  io::replace_file("Profile", path, chrome_trace(impl_->complete("export_chrome_trace")));
}

void Profile::export_stacks(const std::string& path, const std::string& metric) const {
  const Recording& recording = impl_->complete("export_stacks");
  if (metric != "self_cpu_time_total")
    fail<ValueError>("Profile::export_stacks: expected the metric self_cpu_time_total, got '{}'",
                     metric);
  io::replace_file("Profile", path, flame_graph(recording));
}

TraceHandler tensorboard_trace_handler(const std::string& folder, const std::string& worker) {
  return [folder, worker](Profile& profile) {
    const std::string name =
        worker.empty() ? io::host_name() + "_" + std::to_string(::getpid()) : worker;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto stamp = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    io::create_folder("tensorboard_trace_handler", folder);
    profile.export_chrome_trace(
        (std::filesystem::path(folder) / (name + "." + std::to_string(stamp) + ".pt.trace.json"))
            .string());
  };
}

}  // namespace taper::profiler
