// Conversion of records to events, and sums over them.
#pragma once
#include <vector>

#include "profiler/recorder.h"

namespace taper::profiler {

/// A point of the curve of allocated memory.
struct MemoryPoint {
  double time = 0;  ///< microseconds from the start of the recording
  std::size_t allocated = 0;
};

/// A complete recording.
struct Recording {
  std::vector<std::string> threads{};
  std::vector<ProfilerEvent> events{};
  std::vector<std::string> module_types{};  ///< class of each module event; empty for others
  std::vector<MemoryPoint> memory{};
};

/// Returns the complete events of all threads. Times are relative to `start`.
Recording make_recording(const std::vector<ThreadRecords>& threads, Clock::time_point start,
                         bool with_memory);
/// Return the sums of Profile::key_averages and Profile::module_averages.
EventAverages average_by_name(const Recording& recording, bool group_by_input_shape);
ModuleAverages average_by_module(const Recording& recording);

/// Returns the name of an event in traces: that of a module contains its path.
std::string display_name(const Recording& recording, std::size_t event);
/// Returns the document of a Chrome trace.
std::string chrome_trace(const Recording& recording);
/// Returns the lines of a flame graph.
std::string flame_graph(const Recording& recording);

}  // namespace taper::profiler
