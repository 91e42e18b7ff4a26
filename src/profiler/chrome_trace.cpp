// Files of a recording: a Chrome trace and the input of flame graphs.
#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "io/text.h"
#include "profiler/events.h"

namespace taper::profiler {
namespace {

/// Returns a name as a JSON string. Invalid UTF-8 becomes escape sequences.
std::string quoted(const std::string& text) {
  return io::quote_json(io::is_utf8(text) ? text : io::escape_for_message(text, text.size()));
}

const char* category_of(EventKind kind) {
  switch (kind) {
    case EventKind::op: return "cpu_op";
    case EventKind::backward: return "backward";
    case EventKind::module: return "module";
    case EventKind::user: return "user_annotation";
    case EventKind::communication: return "communication";
  }
  return "";
}

/// Returns the arguments of an event, which viewers display when it is selected.
std::string arguments_of(const ProfilerEvent& event) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", name, value);
  };
  if (!event.module.empty()) add("module", quoted(event.module));
  if (!event.input_shapes.empty()) {
    std::string shapes;
    for (const Shape& shape : event.input_shapes) {
      std::string sizes;
      for (const std::int64_t size : shape)
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
      shapes += fmt::format("{}[{}]", shapes.empty() ? "" : ",", sizes);
    }
    add("Input Dims", "[" + shapes + "]");
  }
  if (event.flops > 0) add("flops", fmt::format("{:.0f}", event.flops));
  if (event.bytes > 0) add("bytes", fmt::format("{:.0f}", event.bytes));
  if (event.memory != 0) add("memory", std::to_string(event.memory));
  return text;
}

}  // namespace

std::string display_name(const Recording& recording, std::size_t event) {
  const ProfilerEvent& e = recording.events[event];
  if (e.kind != EventKind::module || e.module == e.name) return e.name;
  return e.module + " (" + e.name + ")";
}

std::string chrome_trace(const Recording& recording) {
  const auto pid = ::getpid();  // tells traces of several ranks apart when they are joined
  std::string text = "{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  text += fmt::format(
      R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"taper"}}}})", pid);
  for (std::size_t i = 0; i < recording.threads.size(); ++i)
    text += fmt::format(
        ",\n"
        R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
        pid, i, quoted(recording.threads[i]));
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const ProfilerEvent& e = recording.events[i];
    text += fmt::format(
        ",\n"
        R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
        R"("args":{{{}}}}})",
        category_of(e.kind), quoted(display_name(recording, i)), pid, e.thread, e.start, e.duration,
        arguments_of(e));
  }
  for (const MemoryPoint& m : recording.memory)
    text += fmt::format(
        ",\n"
        R"({{"ph":"C","name":"memory","pid":{},"ts":{:.3f},"args":{{"allocated":{}}}}})",
        pid, m.time, m.allocated);
  return text + "\n]}\n";
}

std::string flame_graph(const Recording& recording) {
  std::map<std::string, double> time_of;
  std::vector<std::string> stacks;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const ProfilerEvent& e = recording.events[i];
    std::string name = display_name(recording, i);
    for (char& c : name)
      if (c == ';' || c == '\n') c = ' ';
    stacks.push_back(e.parent < 0 ? name : stacks[static_cast<std::size_t>(e.parent)] + ";" + name);
    time_of[stacks.back()] += e.self_duration;
  }
  std::string text;
  for (const auto& [stack, time] : time_of)
    if (time >= 0.5) text += fmt::format("{} {:.0f}\n", stack, time);
  return text;
}

}  // namespace taper::profiler
