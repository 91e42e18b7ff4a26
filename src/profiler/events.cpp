#include "profiler/events.h"

#include <algorithm>
#include <unordered_map>

namespace taper::profiler {
namespace {

using NodeModules = std::unordered_map<std::uint64_t, std::string_view>;

double microseconds(Clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

ProfilerEvent make_event(const Record& record, const NodeModules& nodes, Clock::time_point start) {
  ProfilerEvent event{.kind = record.kind,
                      .name = std::string(record.name),
                      .module = std::string(record.module),
                      .start = microseconds(record.start - start),
                      .duration = microseconds(record.end - record.start),
                      .input_shapes = record.input_shapes,
                      .flops = record.flops,
                      .bytes = record.bytes,
                      .memory = record.memory,
                      .self_memory = record.memory};
  event.self_duration = event.duration;
  if (record.is_in_place) event.name += "_";
  if (record.kind == EventKind::module) {
    event.module = record.path;
  } else if (record.kind == EventKind::backward) {
    const auto found = nodes.find(record.sequence_nr);
    event.module = found == nodes.end() ? std::string_view() : found->second;
  }
  return event;
}

/// Appends the events of a thread, and subtracts contained events from the `self_` members.
void append_events(const ThreadRecords& thread, const NodeModules& nodes, Clock::time_point start,
                   Recording& recording) {
  const auto thread_index = static_cast<std::int64_t>(recording.threads.size());
  recording.threads.push_back(thread.thread);
  // Index in `recording.events` of each record, or of the innermost complete record around it.
  std::vector<std::int64_t> event_of(thread.records.size(), -1);
  std::vector<ProfilerEvent>& events = recording.events;
  for (std::size_t i = 0; i < thread.records.size(); ++i) {
    const Record& record = thread.records[i];
    const std::int64_t parent =
        record.parent < 0 ? -1 : event_of[static_cast<std::size_t>(record.parent)];
    event_of[i] = parent;
    if (!record.is_complete) continue;
    event_of[i] = static_cast<std::int64_t>(events.size());
    ProfilerEvent event = make_event(record, nodes, start);
    event.thread = thread_index;
    event.parent = parent;
    if (parent >= 0) {
      ProfilerEvent& outer = events[static_cast<std::size_t>(parent)];
      outer.self_duration -= event.duration;
      outer.self_memory -= event.memory;
      // Ops of a backward pass belong to the module call that recorded the node.
      const bool is_of_outer = outer.kind == EventKind::backward || outer.kind == EventKind::op;
      if (event.kind == EventKind::op && is_of_outer) event.module = outer.module;
    }
    events.push_back(std::move(event));
    recording.module_types.emplace_back(record.kind == EventKind::module ? std::string(record.name)
                                                                         : std::string());
  }
}

/// Returns the name under which events are summed: steps of the profile have one name.
std::string name_in_averages(const ProfilerEvent& event) {
  const bool is_step = event.kind == EventKind::user && event.name.starts_with("ProfilerStep#");
  return is_step ? "ProfilerStep*" : event.name;
}

std::string key_of(const ProfilerEvent& event, bool with_shapes) {
  std::string key = name_in_averages(event);
  if (with_shapes)
    for (const Shape& shape : event.input_shapes) key += "\n" + shape.str();
  return key;
}

}  // namespace

Recording make_recording(const std::vector<ThreadRecords>& threads, Clock::time_point start,
                         bool with_memory) {
  NodeModules nodes;
  for (const ThreadRecords& thread : threads)
    for (const RecordedNode& node : thread.nodes) nodes[node.sequence_nr] = node.module;
  Recording recording;
  for (const ThreadRecords& thread : threads) {
    append_events(thread, nodes, start, recording);
    if (!with_memory) continue;
    for (const Record& record : thread.records)
      if (record.is_complete && record.allocated)
        recording.memory.push_back({microseconds(record.end - start), *record.allocated});
  }
  std::sort(recording.memory.begin(), recording.memory.end(),
            [](const MemoryPoint& a, const MemoryPoint& b) { return a.time < b.time; });
  return recording;
}

EventAverages average_by_name(const Recording& recording, bool group_by_input_shape) {
  EventAverages averages;
  std::unordered_map<std::string, std::size_t> index_of;
  const std::vector<ProfilerEvent>& events = recording.events;
  for (const ProfilerEvent& event : events) {
    const auto [found, is_new] =
        index_of.try_emplace(key_of(event, group_by_input_shape), averages.size());
    if (is_new) {
      averages.push_back({.key = name_in_averages(event)});
      if (group_by_input_shape) averages.back().input_shapes = event.input_shapes;
    }
    EventAverage& sum = averages[found->second];
    sum.count += 1;
    sum.self_cpu_time_total += event.self_duration;
    sum.self_cpu_memory_usage += event.self_memory;
    sum.flops += event.flops, sum.bytes += event.bytes;
    bool is_recursive = false;
    for (std::int64_t at = event.parent; at >= 0 && !is_recursive;
         at = events[static_cast<std::size_t>(at)].parent)
      is_recursive = events[static_cast<std::size_t>(at)].name == event.name;
    if (is_recursive) continue;
    sum.cpu_time_total += event.duration;
    sum.cpu_memory_usage += event.memory;
  }
  return averages;
}

namespace {

/// Returns true if the path is that of `outer` or of a module in it.
bool is_within(std::string_view outer, std::string_view path) {
  return path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '.');
}

/// Orders the modules so that each is followed by those it contains. A module that contains others
/// may call some of them later than modules outside.
ModuleAverages in_tree_order(const ModuleAverages& by_first_call) {
  ModuleAverages ordered;
  for (const ModuleAverage& module : by_first_call) {
    auto at = ordered.end();
    std::string_view outer = module.path;
    while (at == ordered.end() && outer.find('.') != std::string_view::npos) {
      outer = outer.substr(0, outer.rfind('.'));
      while (at != ordered.begin() && !is_within(outer, (at - 1)->path)) --at;
      if (at == ordered.begin())
        at = ordered.end();
      else
        break;
    }
    ordered.insert(at, module);
  }
  return ordered;
}

/// Returns for each event whether a backward pass contains it.
std::vector<bool> find_backward_events(const std::vector<ProfilerEvent>& events) {
  std::vector<bool> is_backward(events.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    is_backward[i] =
        events[i].kind == EventKind::backward ||
        (events[i].parent >= 0 && is_backward[static_cast<std::size_t>(events[i].parent)]);
  return is_backward;
}

}  // namespace

ModuleAverages average_by_module(const Recording& recording) {
  ModuleAverages averages;
  std::unordered_map<std::string_view, std::size_t> index_of;
  const std::vector<ProfilerEvent>& events = recording.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const ProfilerEvent& event = events[i];
    if (event.kind != EventKind::module) continue;
    const auto [found, is_new] = index_of.try_emplace(event.module, averages.size());
    if (is_new) averages.push_back({.path = event.module, .type = recording.module_types[i]});
    ModuleAverage& sum = averages[found->second];
    sum.calls += 1;
    sum.forward += event.duration;
    sum.memory += event.memory;
  }
  const std::vector<bool> is_backward = find_backward_events(events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const ProfilerEvent& event = events[i];
    if (event.kind != EventKind::op && event.kind != EventKind::backward) continue;
    for (std::string_view path = event.module; !path.empty();
         path = path.substr(0, path.find('.') == std::string_view::npos ? 0 : path.rfind('.'))) {
      const auto found = index_of.find(path);
      if (found == index_of.end()) continue;
      ModuleAverage& sum = averages[found->second];
      if (event.kind == EventKind::backward) sum.backward += event.duration;
      (is_backward[i] ? sum.backward_flops : sum.forward_flops) += event.flops;
    }
  }
  return in_tree_order(averages);
}

}  // namespace taper::profiler
