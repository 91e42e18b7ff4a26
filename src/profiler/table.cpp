// Tables of a profile in the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "core/check.h"
#include "taper/profiler/event.h"

namespace taper::profiler {
namespace {

std::string time_text(double microseconds) {
  if (microseconds >= 1e6) return fmt::format("{:.3f}s", microseconds / 1e6);
  if (microseconds >= 1e3) return fmt::format("{:.3f}ms", microseconds / 1e3);
  return fmt::format("{:.3f}us", microseconds);
}
std::string memory_text(std::int64_t bytes) {
  const double size = std::abs(static_cast<double>(bytes));
  if (size >= 0x1p30) return fmt::format("{:.2f} GB", static_cast<double>(bytes) / 0x1p30);
  if (size >= 0x1p20) return fmt::format("{:.2f} MB", static_cast<double>(bytes) / 0x1p20);
  if (size >= 0x1p10) return fmt::format("{:.2f} KB", static_cast<double>(bytes) / 0x1p10);
  return fmt::format("{} B", bytes);
}
std::string percent_text(double part, double total) {
  return fmt::format("{:.2f}%", total > 0 ? 100 * part / total : 0.0);
}
/// Returns "-" for zero and for a time of zero.
std::string rate_text(double amount, double microseconds) {
  return amount > 0 && microseconds > 0 ? fmt::format("{:.2f}", amount / microseconds / 1e3) : "-";
}
std::string amount_text(double amount) {
  if (amount <= 0) return "-";
  const double millions = amount / 1e6;
  return millions >= 1000 ? fmt::format("{:.0f}", millions) : fmt::format("{:.4g}", millions);
}
std::string cut(const std::string& text, std::int64_t width) {
  if (width < 4 || static_cast<std::int64_t>(text.size()) <= width) return text;
  return text.substr(0, static_cast<std::size_t>(width) - 3) + "...";
}

/// A column of a table, without the rule that separates header and rows.
struct Column {
  std::string title;
  std::vector<std::string> cells{};
  bool is_text = false;
};

std::string render(const std::vector<Column>& columns) {
  std::string rule, header;
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t width = column.title.size();
    for (const std::string& cell : column.cells) width = std::max(width, cell.size());
    widths.push_back(width);
  }
  const auto line = [&](const std::function<const std::string&(const Column&)>& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += "  ";
      text += columns[i].is_text ? fmt::format("{:<{}}", cell(columns[i]), widths[i])
                                 : fmt::format("{:>{}}", cell(columns[i]), widths[i]);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  for (const std::size_t width : widths)
    rule += (rule.empty() ? "" : "  ") + std::string(width, '-');
  rule += "\n";
  std::string text = rule + line([](const Column& c) -> const std::string& { return c.title; });
  text += rule;
  for (std::size_t row = 0; row < columns[0].cells.size(); ++row)
    text += line([row](const Column& c) -> const std::string& { return c.cells[row]; });
  return text + rule;
}

using Measure = double (*)(const EventAverage&);
Measure measure_of(const std::string& name) {
  static constexpr std::pair<std::string_view, Measure> kMeasures[] = {
      {"self_cpu_time_total", [](const EventAverage& e) { return e.self_cpu_time_total; }},
      {"cpu_time_total", [](const EventAverage& e) { return e.cpu_time_total; }},
      {"cpu_time", [](const EventAverage& e) { return e.cpu_time(); }},
      {"count", [](const EventAverage& e) { return static_cast<double>(e.count); }},
      {"cpu_memory_usage",
       [](const EventAverage& e) { return static_cast<double>(e.cpu_memory_usage); }},
      {"self_cpu_memory_usage",
       [](const EventAverage& e) { return static_cast<double>(e.self_cpu_memory_usage); }},
      {"flops", [](const EventAverage& e) { return e.flops; }},
      {"bytes", [](const EventAverage& e) { return e.bytes; }}};
  std::string known;
  for (const auto& [key, measure] : kMeasures) {
    if (key == name) return measure;
    known += (known.empty() ? "" : ", ") + std::string(key);
  }
  fail<ValueError>("EventAverages::table: sort_by: expected one of {}, got '{}'", known, name);
}

std::string shapes_text(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape.str();
  return "[" + text + "]";
}

}  // namespace

std::string EventAverages::table(const EventTableOptions& options) const {
  std::vector<const EventAverage*> rows;
  double total = 0;
  for (const EventAverage& e : *this) {
    rows.push_back(&e);
    total += e.self_cpu_time_total;
  }
  if (!options.sort_by.empty()) {
    const Measure measure = measure_of(options.sort_by);
    std::stable_sort(rows.begin(), rows.end(), [&](const EventAverage* a, const EventAverage* b) {
      return measure(*a) > measure(*b);
    });
  }
  if (options.row_limit >= 0 && static_cast<std::int64_t>(rows.size()) > options.row_limit)
    rows.resize(static_cast<std::size_t>(options.row_limit));

  std::vector<Column> columns;
  const auto any = [&](const std::function<bool(const EventAverage&)>& holds) {
    return std::any_of(rows.begin(), rows.end(), [&](const EventAverage* e) { return holds(*e); });
  };
  const auto add = [&](const char* title,
                       const std::function<std::string(const EventAverage&)>& text,
                       bool is_text = false) {
    Column column{.title = title, .is_text = is_text};
    for (const EventAverage* e : rows) column.cells.push_back(text(*e));
    columns.push_back(std::move(column));
  };
  add(
      "Name", [&](const EventAverage& e) { return cut(e.key, options.max_name_column_width); },
      true);
  add("Self CPU %",
      [&](const EventAverage& e) { return percent_text(e.self_cpu_time_total, total); });
  add("Self CPU", [](const EventAverage& e) { return time_text(e.self_cpu_time_total); });
  add("CPU total %", [&](const EventAverage& e) { return percent_text(e.cpu_time_total, total); });
  add("CPU total", [](const EventAverage& e) { return time_text(e.cpu_time_total); });
  add("CPU time avg", [](const EventAverage& e) { return time_text(e.cpu_time()); });
  if (any([](const EventAverage& e) { return e.cpu_memory_usage || e.self_cpu_memory_usage; })) {
    add("CPU Mem", [](const EventAverage& e) { return memory_text(e.cpu_memory_usage); });
    add("Self CPU Mem", [](const EventAverage& e) { return memory_text(e.self_cpu_memory_usage); });
  }
  add("# of Calls", [](const EventAverage& e) { return std::to_string(e.count); });
  if (any([](const EventAverage& e) { return e.flops > 0; })) {
    add("Total MFLOPs", [](const EventAverage& e) { return amount_text(e.flops); });
    add("GFLOP/s", [](const EventAverage& e) { return rate_text(e.flops, e.self_cpu_time_total); });
  }
  if (any([](const EventAverage& e) { return e.bytes > 0; }))
    add("GB/s", [](const EventAverage& e) { return rate_text(e.bytes, e.self_cpu_time_total); });
  if (any([](const EventAverage& e) { return !e.input_shapes.empty(); }))
    add(
        "Input Shapes",
        [&](const EventAverage& e) {
          return cut(shapes_text(e.input_shapes), options.max_shapes_column_width);
        },
        true);
  return render(columns) + "Self CPU time total: " + time_text(total) + "\n";
}

std::string ModuleAverages::table(std::int64_t depth) const {
  std::vector<Column> columns{{.title = "Module", .is_text = true},
                              {.title = "Class", .is_text = true},
                              {.title = "# of Calls"},
                              {.title = "Forward"},
                              {.title = "Backward"},
                              {.title = "MFLOPs forward"},
                              {.title = "MFLOPs backward"}};
  const bool has_memory =
      std::any_of(begin(), end(), [](const ModuleAverage& m) { return m.memory != 0; });
  if (has_memory) columns.push_back({.title = "Memory"});
  for (const ModuleAverage& m : *this) {
    const auto level = std::count(m.path.begin(), m.path.end(), '.');
    if (depth >= 0 && level > depth) continue;
    const std::string name = level == 0 ? m.path : m.path.substr(m.path.rfind('.') + 1);
    std::vector<std::string> cells{std::string(2 * static_cast<std::size_t>(level), ' ') + name,
                                   m.type,
                                   std::to_string(m.calls),
                                   time_text(m.forward),
                                   time_text(m.backward),
                                   amount_text(m.forward_flops),
                                   amount_text(m.backward_flops)};
    if (has_memory) cells.push_back(memory_text(m.memory));
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(std::move(cells[i]));
  }
  return render(columns);
}

}  // namespace taper::profiler
