// Events of a profile, and their averages by name and by module.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
namespace profiler {

enum class EventKind : std::uint8_t {
  op,        ///< an op: "addmm"
  backward,  ///< the computation of a node of the backward pass: "AddmmBackward0"
  module,    ///< a call of a module: its path and class
  user,      ///< a RecordFunction, a step of an optimizer, a step of the profile
  /// A collective or message of taper::distributed: "gloo:all_reduce", on the thread "gloo". It
  /// begins when its engine executes it, otherwise with the call. Recorded by the profile of the
  /// thread that waits for it.
  communication
};

/// A completed call. Times are in microseconds from the start of the recording.
/// PyTorch: an element of torch.profiler.profile.events().
struct ProfilerEvent {
  EventKind kind = EventKind::op;
  std::string name{};
  /// Path of the innermost module call that contains the event, which begins with the class of the
  /// outermost module: "LeNet.conv1". For events of the backward pass, that of the call that
  /// recorded the node. Empty outside of modules.
  std::string module{};
  std::int64_t thread = 0;   ///< index in `threads` of the profile
  std::int64_t parent = -1;  ///< index of the event that contains this one; -1: none
  double start = 0, duration = 0;
  double self_duration = 0;           ///< `duration` without contained events
  std::vector<Shape> input_shapes{};  ///< of an op, if `record_shapes` is set
  /// Floating-point operations and bytes of inputs and outputs of an op, if `with_flops` is set.
  double flops = 0, bytes = 0;
  /// Bytes that were allocated minus those that were released, if `profile_memory` is set.
  std::int64_t memory = 0;
  std::int64_t self_memory = 0;  ///< `memory` without contained events
};

/// Sums over the calls of one name. Times are in microseconds.
/// PyTorch: an element of torch.profiler.profile.key_averages().
struct EventAverage {
  std::string key{};
  std::vector<Shape> input_shapes{};  ///< if grouped by shapes
  std::int64_t count = 0;
  double cpu_time_total = 0;       ///< a call within a call of the same name counts once
  double self_cpu_time_total = 0;  ///< without contained events
  std::int64_t cpu_memory_usage = 0, self_cpu_memory_usage = 0;
  double flops = 0, bytes = 0;
  /// Returns the time per call.
  double cpu_time() const { return count ? cpu_time_total / static_cast<double>(count) : 0; }
};

/// Options of EventAverages::table. PyTorch: the arguments of EventList.table.
struct EventTableOptions {
  /// Decreasing order by "self_cpu_time_total", "cpu_time_total", "cpu_time", "count",
  /// "cpu_memory_usage", "self_cpu_memory_usage", "flops" or "bytes"; empty: order of the first
  /// call.
  std::string sort_by = "self_cpu_time_total";
  std::int64_t row_limit = 100;               ///< number of rows; -1: all
  std::int64_t max_name_column_width = 55;    ///< longer names are cut
  std::int64_t max_shapes_column_width = 80;  ///< longer lists of shapes are cut
};

/// Averages of events by name, in the order of the first call.
class EventAverages : public std::vector<EventAverage> {
 public:
  using std::vector<EventAverage>::vector;
  /// Returns a table of times, numbers of calls, floating-point operations, bytes and memory.
  /// Columns in which every value is zero are omitted. Throws ValueError for an unknown order.
  std::string table(const EventTableOptions& options = {}) const;
};

/// Sums over the calls of one module. Times are in microseconds.
struct ModuleAverage {
  std::string path{};  ///< from the class of the outermost module: "LeNet.conv1"
  std::string type{};  ///< class
  std::int64_t calls = 0;
  double forward = 0;   ///< of calls, with those of contained modules
  double backward = 0;  ///< of the nodes that the calls recorded, with those of contained modules
  double forward_flops = 0, backward_flops = 0;
  std::int64_t memory = 0;  ///< bytes allocated minus bytes released in calls
};

/// Averages of the modules that were called, each before the modules it contains.
class ModuleAverages : public std::vector<ModuleAverage> {
 public:
  using std::vector<ModuleAverage>::vector;
  /// Returns a table whose names are indented as the modules are nested, of modules at most `depth`
  /// levels below the outermost ones; -1: all.
  std::string table(std::int64_t depth = -1) const;
};

}  // namespace profiler
}  // namespace taper
